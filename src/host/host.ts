/** One interface to many servers, each with a client of its own. */
import type { CallOptions, Client } from '../client/api/client.ts';
import { deadlinesIn } from '../client/api/internal-deadlines.ts';
import type { ConnectOptions } from '../client/api/options.ts';
import { createDeadlines, type Deadlines } from '../jsonrpc/deadlines.ts';
import { TenonError } from '../jsonrpc/errors.ts';
import { runSafely } from '../jsonrpc/run-safely.ts';
import type { CallToolResult, GetPromptResult, ReadResourceResult } from '../protocol/generated/types/records.ts';
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
import { type ChangeBroadcast, createChangeBroadcast, type HostChanges } from './servers/changes.ts';
import { type ConfiguredServer, type HostTarget, readServers } from './servers/config.ts';
import { HostServer, type ServerHealth } from './servers/host-server.ts';

export interface Host extends AsyncDisposable {
  /** The servers by name, in the order of the configuration. */
  readonly servers: readonly string[];
  readonly tools: {
    list(): Promise<HostList<HostTool>>;
    /** Runs a tool by the name that a list gave it, once `consent.tool` has allowed it; else rejects with `denied`. */
    call(name: string, given?: Fields, options?: CallOptions): Promise<CallToolResult>;
  };
  readonly resources: {
    list(): Promise<HostList<HostResource>>;
    listTemplates(): Promise<HostList<HostTemplate>>;
    read(address: string, options?: CallOptions): Promise<ReadResourceResult>;
  };
  readonly prompts: {
    list(): Promise<HostList<HostPrompt>>;
    get(name: string, given?: Readonly<Record<string, string>>, options?: CallOptions): Promise<GetPromptResult>;
  };
  /** What servers that are connected say of how to use them. */
  instructions(): Array<{ readonly server: string; readonly text: string }>;
  /** How each server is doing. */
  health(): ServerHealth[];
  /** What changes on servers while they are connected. Starts none. */
  subscribe(): HostChanges;
  /** Tells servers that are connected that the roots have changed. */
  sendRootsListChanged(): void;
  /** Ends all connections, each once its calls have ended or `timeoutMs` (5 seconds) have passed. */
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
    timeoutMs: options.consentTimeoutMs ?? 5 * 60_000,
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
  const broadcast = createChangeBroadcast((isRead) => hostServers.forEach((hostServer) => hostServer.watch(isRead)));
  const hostServers = configured.map(
    (entry) =>
      new HostServer({
        server: entry.server,
        deadlines,
        listTimeoutMs: options.listTimeoutMs ?? 30_000,
        maxListed: options.maxListed ?? 1000,
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
    subscribe: () => broadcast.open(),
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
      // A closed host asks for no consent.
      closed.throwIfAborted();
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

/** A copy of the arguments: what was allowed is what is sent, whatever the caller does to its object. */
function asJson(given: Fields): Fields {
  if (!isRecord(given))
    throw new TenonError('invalid-outgoing-message', 'The arguments of a tool are no object.', {
      hint: 'Write { name: value }.',
    });
  try {
    return JSON.parse(JSON.stringify(given)) as Fields;
  } catch (cause) {
    throw new TenonError(
      'invalid-outgoing-message',
      'The tool was not called: its arguments cannot be written as JSON.',
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
    hint: 'Use a name or an address as the lists of the host give it.',
  });
}

const notNamed = (what: string): TenonError =>
  new TenonError('invalid-argument', `No ${what} was named.`, {
    hint: `Pass the ${what === 'resource' ? 'address' : 'name'} of one as a text, as the lists of the host give it.`,
  });

function denied(server: string, tool: string, { by, reason }: ConsentDecision<unknown> & { is: 'denied' }): TenonError {
  const text = `The tool ${tool} of ${server} was not run: ${reason}.`;
  if (by === 'cancelled') return new TenonError('cancelled', text, { details: { server, tool } });
  const mend =
    by === 'no-hook' ? { hint: "Pass consent: { tool: (request) => … } to createHost, or consent: 'allow-all'." } : {};
  return new TenonError('consent-denied', text, { ...mend, details: { server, tool, by } });
}
