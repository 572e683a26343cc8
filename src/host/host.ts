/** One interface to many servers, each with a client of its own. */
import type { CallOptions, Client } from '../client/api/client.ts';
import { deadlinesIn } from '../client/api/internal-deadlines.ts';
import type { ConnectOptions } from '../client/api/options.ts';
import { checkFilter } from '../client/changes/changes.ts';
import { listenForAbort, stopListening } from '../jsonrpc/abort-listeners.ts';
import { createDeadlines, type Deadlines } from '../jsonrpc/deadlines.ts';
import { TenonError } from '../jsonrpc/errors.ts';
import { runSafely } from '../jsonrpc/run-safely.ts';
import type {
  CallToolResult,
  GetPromptResult,
  ReadResourceResult,
  SubscriptionFilter,
} from '../protocol/generated/types/records.ts';
import { isRecord } from '../protocol/model/primitives.ts';
import type { Fields } from '../protocol/neutral.ts';
import type { Rules } from '../protocol/option-rules.ts';
import type { Catalogue } from './lists/catalogue.ts';
import {
  createLists,
  type HostList,
  type HostPrompt,
  type HostResource,
  type HostTemplate,
  type HostTool,
  type Lists,
} from './lists/lists.ts';
import { addressedBy, hasDigest, type Origin } from './lists/names.ts';
import type { HostOptions } from './options.ts';
import { checkShape, clientProblems, hostProblems, refuseAll } from './options-check.ts';
import { type CheckConsent, type ConsentDecision, createConsentCheck } from './requests/consent.ts';
import { createDecisionReporter } from './requests/decisions.ts';
import { type AnswerPorts, answersFor, hooksOf } from './requests/handlers.ts';
import { createQuestionQueue } from './requests/question-queue.ts';
import {
  type ChangeBroadcast,
  createChangeBroadcast,
  type FilterFor,
  type HostSubscription,
} from './servers/changes.ts';
import { type ConfiguredServer, type HostTarget, readServers } from './servers/config.ts';
import { HostServer, type ServerHealth } from './servers/host-server.ts';

/**
 * Many servers behind one interface.
 *
 * @example
 * ```ts
 * const host = createHost({
 *   servers: { files: { command: 'npx', args: ['files-server'] } },
 *   consent: { tool: ({ server, tool }) => (isAllowed(server, tool) ? 'allow' : 'deny') },
 * });
 * const { items, errors } = await host.tools.list();
 * const result = await host.tools.call('files__read', { path: 'notes.txt' });
 * ```
 */
export interface Host extends AsyncDisposable {
  /** The names of the servers, in the order of the configuration. */
  readonly servers: readonly string[];
  readonly tools: {
    /** Lists the tools of all servers. A failing server is in `errors`; the others are listed. */
    list(): Promise<HostList<HostTool>>;
    /**
     * Calls a tool by its `name` in the list, after `consent.tool` has allowed it. Rejects with `consent-denied`
     * otherwise, and with `invalid-argument` for a tool that the server does not have.
     */
    call(name: string, args?: Fields, options?: CallOptions): Promise<CallToolResult>;
  };
  readonly resources: {
    list(): Promise<HostList<HostResource>>;
    listTemplates(): Promise<HostList<HostTemplate>>;
    /** Reads a resource by its `hostUri` in the list. */
    read(hostUri: string, options?: CallOptions): Promise<ReadResourceResult>;
  };
  readonly prompts: {
    list(): Promise<HostList<HostPrompt>>;
    /** Gets the messages of a prompt by its `name` in the list. */
    get(name: string, args?: Readonly<Record<string, string>>, options?: CallOptions): Promise<GetPromptResult>;
  };
  /** The instructions of the servers that are connected. */
  instructions(): Array<{ readonly server: string; readonly text: string }>;
  /** The health of every server. */
  health(): ServerHealth[];
  /**
   * Subscribes to changes on all servers that are connected, and to the states of their connections. Connects none.
   * Without a filter it reports all lists; `resourceSubscriptions` takes the `hostUri` of resources.
   */
  subscribe(filter?: SubscriptionFilter): HostSubscription;
  /** Notifies all connected servers that the roots have changed. */
  sendRootsListChanged(): void;
  /** Closes all connections. Running calls may finish for `timeoutMs` (default 5000). */
  close(options?: { readonly timeoutMs?: number }): Promise<void>;
}

/** Makes the client of one server. */
export type OpenClient = (target: HostTarget, options: ConnectOptions, server: string) => Client;

/** A host that makes its clients by `open`; `more` has rules for further options. Starts nothing. */
export function buildHost(options: HostOptions, open: OpenClient, more: Rules = {}): Host {
  const configured = configuredServers(options, more);
  const deadlines = deadlinesIn(options) ?? createDeadlines();
  const fault = (server: string, error: unknown): void => {
    runSafely(() => options.onWarning?.(server, error instanceof Error ? error : new Error(String(error))));
  };
  const reportDecision = createDecisionReporter(options.onDecision, options.includeRequests === true, fault);
  const closing = new AbortController();
  const checkConsent = createConsentCheck({
    allowsAll: options.consent === 'allow-all',
    deadlines,
    timeoutMs: options.timeouts?.consentMs ?? 5 * 60_000,
    reportDecision,
    closing: closing.signal,
    fault,
  });
  const closed = closing.signal;
  const answering: AnswerPorts = {
    options,
    deadlines,
    questions: createQuestionQueue(),
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
        open: createOpen(entry, options, answering, fault, open),
        fault: (error) => fault(entry.server, error),
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

/** Each client gets options made for its server alone; limits are counted over all clients of a server. */
function createOpen(
  { server, target }: ConfiguredServer,
  { connectOptions: connect = {}, clientInfo: client, onLog: log }: HostOptions,
  ports: AnswerPorts,
  fault: (server: string, error: Error) => void,
  open: OpenClient,
): () => Client {
  const answers = answersFor(server, ports);
  return () => {
    if (target instanceof TenonError) throw target;
    const own = typeof connect === 'function' ? connect(server) : connect;
    if (own !== connect) refuseAll(clientProblems(`connectOptions(${JSON.stringify(server)})`, own));
    const options: ConnectOptions = {
      ...own,
      ...(client && { clientInfo: client }),
      handlers: answers,
      onWarning: (error) => fault(server, error),
      ...(log && { onLog: (entry) => log(server, entry) }),
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

function createTools(
  options: HostOptions,
  hostServers: readonly HostServer[],
  lists: Lists,
  checkConsent: CheckConsent,
  closed: AbortSignal,
): Host['tools'] {
  const { tool: hook } = hooksOf(options);
  return {
    list: lists.tools,
    async call(name, given = {}, call = {}) {
      const { hostServer, own } = await serverNamed(hostServers, lists.toolNames, lists.tools, name, 'tool');
      const { server } = hostServer;
      // A closed host asks for no consent, and none is needed for a tool that does not exist.
      closed.throwIfAborted();
      if (options.consent !== 'allow-all') await checkExists(hostServer, lists, name, call.signal);
      const definition = structuredClone(lists.toolNames.item(name));
      const value = asJson(given);
      const ask =
        hook &&
        ((shown: Fields, signal: AbortSignal) => hook({ server, tool: own, arguments: shown, definition, signal }));
      const result = await checkConsent({
        server,
        kind: 'tool',
        tool: own,
        value,
        signal: call.signal,
        callHook: ask,
        fits: isRecord,
      });
      if (result.is === 'denied') throw closed.aborted ? closed.reason : denied(server, own, result);
      return hostServer.use((client) => client.tools.call(own, result.value, call));
    },
  };
}

/** Throws for a tool that is surely not there. Where the list fails, the call itself has to show it. */
async function checkExists(
  hostServer: HostServer,
  lists: Lists,
  name: string,
  signal: AbortSignal | undefined,
): Promise<void> {
  if (lists.toolNames.item(name) !== undefined || signal?.aborted) return;
  const isComplete = await unlessAborted(signal, lists.refreshTools(hostServer));
  if (!isComplete || lists.toolNames.item(name) !== undefined) return;
  throw new TenonError('invalid-argument', `The server ${hostServer.server} has no tool ${JSON.stringify(name)}.`, {
    hint: 'Use the `name` of an item in host.tools.list().',
    details: { server: hostServer.server, tool: name },
  });
}

/** `undefined` when the signal is aborted first. */
function unlessAborted<T>(signal: AbortSignal | undefined, promise: Promise<T>): Promise<T | undefined> {
  if (signal === undefined) return promise;
  return new Promise((resolve, reject) => {
    const stop = (): void => resolve(undefined);
    listenForAbort(signal, stop);
    promise.then(resolve, reject).finally(() => stopListening(signal, stop));
  });
}

const allLists: SubscriptionFilter = { toolsListChanged: true, promptsListChanged: true, resourcesListChanged: true };

/** The filter of a reader for each server: resources are named by their `hostUri`. */
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

/** A copy of the arguments: what was allowed is what is sent, whatever the caller does to its object. */
function asJson(given: Fields): Fields {
  if (!isRecord(given))
    throw new TenonError('invalid-outgoing-message', 'The arguments of a tool must be an object.', {
      hint: 'Write { name: value }.',
    });
  try {
    return JSON.parse(JSON.stringify(given)) as Fields;
  } catch (cause) {
    throw new TenonError(
      'invalid-outgoing-message',
      'The tool was not called: its arguments cannot be serialized as JSON.',
      {
        cause,
      },
    );
  }
}

/** The server of a name. A name with an unknown digest is looked up in the lists. */
async function serverNamed<T extends { readonly name: string }>(
  hostServers: readonly HostServer[],
  names: Catalogue<T>,
  list: () => Promise<unknown>,
  name: string,
  what: string,
): Promise<{ hostServer: HostServer; own: string }> {
  if (typeof name !== 'string') throw notNamed(what);
  if (names.origin(name) === undefined && hasDigest(name)) await list();
  return serverAt(hostServers, names.origin(name), `${what} ${JSON.stringify(name)}`);
}

function serverAt(
  hostServers: readonly HostServer[],
  origin: Origin | undefined,
  what: string,
): { hostServer: HostServer; own: string } {
  const hostServer = hostServers.find(({ server }) => server === origin?.server);
  if (hostServer !== undefined && origin !== undefined) return { hostServer, own: origin.originalName };
  throw new TenonError('invalid-argument', `No server of this host has the ${what}.`, {
    hint: 'Use the `name` or `hostUri` of an item in the lists of the host.',
  });
}

const notNamed = (what: string): TenonError =>
  new TenonError(
    'invalid-argument',
    `The ${what === 'resource' ? 'hostUri' : 'name'} of the ${what} must be a string.`,
    {
      hint: `Pass the \`${what === 'resource' ? 'hostUri' : 'name'}\` of an item in the lists of the host.`,
    },
  );

function denied(server: string, tool: string, { by, reason }: ConsentDecision<unknown> & { is: 'denied' }): TenonError {
  const text = `The tool ${tool} of ${server} was not called: ${reason}.`;
  if (by === 'cancelled') return new TenonError('cancelled', text, { details: { server, tool } });
  const hint =
    by === 'no-hook' ? { hint: "Pass consent: { tool: (request) => … } to createHost, or consent: 'allow-all'." } : {};
  return new TenonError('consent-denied', text, { ...hint, details: { server, tool, by } });
}
