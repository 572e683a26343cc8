/** Builds a host: one client for each server, one interface to all of them. */
import type { Client } from '../client/api/client.ts';
import type { ConnectOptions } from '../client/api/options.ts';
import { checkFilter } from '../client/changes/changes.ts';
import { createDeadlines, type Deadlines } from '../jsonrpc/deadlines.ts';
import { TenonError } from '../jsonrpc/errors.ts';
import { deadlinesIn } from '../jsonrpc/internal-deadlines.ts';
import { runSafely } from '../jsonrpc/run-safely.ts';
import { toWarning } from '../jsonrpc/to-warning.ts';
import type { SubscriptionFilter } from '../protocol/generated/types/records.ts';
import { isRecord } from '../protocol/model/primitives.ts';
import type { Fields } from '../protocol/neutral.ts';
import type { Rules } from '../protocol/option-rules.ts';
import type { Host } from './api.ts';
import { notNamed, serverAt, serverNamed } from './lists/find-server.ts';
import { createLists } from './lists/lists.ts';
import { addressedBy } from './lists/names.ts';
import type { HostOptions } from './options.ts';
import { checkShape, clientProblems, hostProblems, refuseAll } from './options-check.ts';
import { type CheckConsent, createConsentCheck } from './requests/consent.ts';
import { createDecisionReporter } from './requests/decisions.ts';
import { createElicitationQueue } from './requests/elicitation-queue.ts';
import { type AnswerPorts, answersFor } from './requests/handlers.ts';
import { type ChangeBroadcast, createChangeBroadcast, type FilterFor } from './servers/changes.ts';
import { type ConfiguredServer, type HostTarget, readServers } from './servers/config.ts';
import { HostServer } from './servers/host-server.ts';
import { createTools } from './tool-calls.ts';

/** Makes the client of one server. */
export type OpenClient = (target: HostTarget, options: ConnectOptions, server: string) => Client;

/** Creates a host whose clients are made by `open`. `more` has rules for further options. Connects no server. */
export function buildHost(options: HostOptions, open: OpenClient, more: Rules = {}): Host {
  const configured = configuredServers(options, more);
  const deadlines = deadlinesIn(options) ?? createDeadlines();
  const warn = (server: string, error: unknown): void => {
    runSafely(() => options.onWarning?.(server, toWarning(error)));
  };
  const reportDecision = createDecisionReporter(options.onDecision, options.includeRequests === true, warn);
  const closing = new AbortController();
  const checkConsent = createConsentCheck({
    allowsAll: options.consent === 'allow-all',
    deadlines,
    timeoutMs: options.timeouts?.consentMs ?? 5 * 60_000,
    reportDecision,
    closing: closing.signal,
    warn,
  });
  const closed = closing.signal;
  const answering: AnswerPorts = {
    options,
    deadlines,
    elicitations: createElicitationQueue(),
    checkConsent,
    reportDecision,
    closing: closed,
  };
  const broadcast = createChangeBroadcast(() => hostServers.forEach((hostServer) => hostServer.watch()));
  const hostServers = configured.map(
    (entry) =>
      new HostServer({
        server: entry.server,
        deadlines,
        listMs: options.timeouts?.listMs ?? 30_000,
        maxListed: options.limits?.maxListed ?? 1000,
        broadcast,
        open: createOpen(entry, options, answering, warn, open),
        warn: (error) => warn(entry.server, error),
      }),
  );
  return createHostMethods(options, { hostServers, broadcast, checkConsent, deadlines, closing });
}

/** The servers of the configuration. Throws one error with all problems of the options. */
function configuredServers(options: HostOptions, more: Rules): ConfiguredServer[] {
  checkShape(options);
  const problems = hostProblems(options as Readonly<Fields>, more);
  const read = isRecord(options.servers)
    ? readServers(options.servers, options.env ?? {})
    : { servers: [], problems: [] };
  refuseAll([...problems, ...read.problems]);
  return read.servers;
}

/** Each client gets its own options. The limits on sampling hold for all clients of a server together. */
function createOpen(
  { server, target }: ConfiguredServer,
  { connectOptions: connect = {}, clientInfo, onLog }: HostOptions,
  ports: AnswerPorts,
  warn: (server: string, error: Error) => void,
  open: OpenClient,
): () => Client {
  const answers = answersFor(server, ports);
  return () => {
    if (target instanceof TenonError) throw target;
    const own = typeof connect === 'function' ? connect(server) : connect;
    if (own !== connect) refuseAll(clientProblems(`connectOptions(${JSON.stringify(server)})`, own));
    const options: ConnectOptions = {
      ...own,
      ...(clientInfo && { clientInfo }),
      handlers: answers,
      onWarning: (error) => warn(server, error),
      ...(onLog && { onLog: (entry) => onLog(server, entry) }),
    };
    return open(target, options, server);
  };
}

interface HostParts {
  readonly hostServers: readonly HostServer[];
  readonly broadcast: ChangeBroadcast;
  readonly checkConsent: CheckConsent;
  readonly deadlines: Deadlines;
  readonly closing: AbortController;
}

function createHostMethods(
  options: HostOptions,
  { hostServers, broadcast, checkConsent, deadlines, closing }: HostParts,
): Host {
  const lists = createLists(hostServers);
  const tools = createTools(options, hostServers, lists, checkConsent, closing.signal);
  const close: Host['close'] = async (closeOptions) => {
    closing.abort(new TenonError('connection-closed', 'The host is closed.'));
    await Promise.all(hostServers.map((hostServer) => hostServer.close(closeOptions)));
    broadcast.end();
    if (deadlinesIn(options) === undefined) deadlines.end();
  };
  return {
    servers: hostServers.map(({ server }) => server),
    tools,
    resources: {
      list: lists.resources,
      listTemplates: lists.templates,
      async read(address, call) {
        if (typeof address !== 'string') throw notNamed('resource');
        const { hostServer, own } = serverAt(hostServers, addressedBy(address), `resource at ${address}`);
        return hostServer.use((client) => client.resources.read(own, call));
      },
    },
    prompts: {
      list: lists.prompts,
      async get(name, given = {}, call) {
        const { hostServer, own } = await serverNamed(hostServers, lists.promptNames, lists.prompts, name, 'prompt');
        return hostServer.use((client) => client.prompts.get(own, given, call));
      },
    },
    instructions: () =>
      hostServers.flatMap(({ server, connected }) => {
        const text = connected?.instructions;
        return text === undefined ? [] : [{ server, text }];
      }),
    health: () => hostServers.map((hostServer) => hostServer.health()),
    subscribe: (filter = allLists) => broadcast.open(filterByServer(hostServers, filter)),
    sendRootsListChanged: () => hostServers.forEach(({ connected }) => connected?.sendRootsListChanged()),
    close,
    [Symbol.asyncDispose]: () => close(),
  };
}

const allLists: SubscriptionFilter = { toolsListChanged: true, promptsListChanged: true, resourcesListChanged: true };

/** The filter of a subscription for each server: its resources are those with a `hostUri` of the server. */
function filterByServer(hostServers: readonly HostServer[], filter: SubscriptionFilter): FilterFor {
  checkFilter('subscribe()', filter);
  const { resourceSubscriptions = [], ...listFlags } = filter;
  const watched = resourceSubscriptions.map((hostUri) =>
    serverAt(hostServers, addressedBy(hostUri), `resource ${hostUri}`),
  );
  return (server) => ({
    ...listFlags,
    resourceSubscriptions: watched.flatMap(({ hostServer, own }) => (hostServer.server === server ? [own] : [])),
  });
}
