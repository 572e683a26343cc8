/** The methods of a client. */
import { TenonError } from '../../lib/errors/tenon-error.ts';
import type { Fields } from '../../lib/values/is.ts';
import type { MethodDefinition } from '../../protocol/extensions/extension.ts';
import type {
  Completion,
  GetPromptResult,
  Implementation,
  LoggingLevel,
  Prompt,
  ServerCapabilities,
  SubscriptionFilter,
} from '../../protocol/generated/types/records.ts';
import type { Outcome } from '../../protocol/neutral.ts';
import type { Subscription } from '../api/changes.ts';
import type {
  BatchRequest,
  CallOptions,
  Client,
  ClientCache,
  ClientConnection,
  ClientStats,
  ClientTasks,
  RoundOptions,
  WaitOptions,
} from '../api/client.ts';
import type { ClientNotificationDefinition } from '../api/extensions.ts';
import { clientHabits } from '../api/habits.ts';
import type { PaginatedList } from '../api/listing.ts';
import { sendBatch } from '../calls/batch.ts';
import { checkCall } from '../calls/call-options.ts';
import { openChanges, watch } from '../changes/watching.ts';
import { needForRequest } from '../connection/capabilities.ts';
import type { Connection } from '../connection/connection.ts';
import type { RequestingPorts } from '../connection/extensions.ts';
import { checkLogLevel } from '../connection/options-check.ts';
import { withoutUnsafeIcons } from '../content/safe-icons.ts';
import { type ClientMethodsPorts, type ListSource, listFrom } from './lists.ts';
import { createResources } from './resources.ts';
import { TaskMethods } from './tasks/client-tasks.ts';
import { createTools } from './tools.ts';

export function createClientMethods<S>(ports: ClientMethodsPorts): Client<S> {
  // Here, and not where the class is defined: bundlers drop a module without side effects.
  Object.setPrototypeOf(ClientMethods.prototype, clientHabits);
  return new ClientMethods(ports) as unknown as Client<S>;
}

/**
 * Methods are separate functions, so that `const { close } = client` works and tests can replace them. The parts for lists
 * are created on first use: a process may have many clients, most of them idle.
 */
class ClientMethods implements Client {
  readonly #ports: ClientMethodsPorts;
  #tools: ReturnType<typeof createTools> | undefined;
  #tasks: ClientTasks | undefined;
  #resources: Client['resources'] | undefined;
  #prompts: Client['prompts'] | undefined;

  constructor(ports: ClientMethodsPorts) {
    this.#ports = ports;
  }

  get connection(): ClientConnection {
    return this.#ports.connection;
  }

  get protocolVersion(): string {
    return this.#lastKnown.conversation.revision.id;
  }

  get serverInfo(): Implementation | undefined {
    return withoutUnsafeIcons(this.#lastKnown.server);
  }

  get instructions(): string | undefined {
    return this.#lastKnown.instructions;
  }

  get capabilities(): ServerCapabilities {
    return this.#lastKnown.capabilities;
  }

  get cache(): ClientCache {
    const { cache } = this.#ports;
    return { stats: () => ({ ...cache.counts }), clear: () => cache.clear() };
  }

  get tools(): Client['tools'] {
    return this.#toolMethods.tools;
  }

  get #toolMethods(): ReturnType<typeof createTools> {
    this.#tools ??= createTools(this.#ports);
    return this.#tools;
  }

  get tasks(): ClientTasks {
    this.#tasks ??= new TaskMethods(this.#ports);
    return this.#tasks;
  }

  get resources(): Client['resources'] {
    this.#resources ??= createResources(this.#ports);
    return this.#resources;
  }

  get prompts(): Client['prompts'] {
    this.#prompts ??= createPrompts(this.#ports);
    return this.#prompts;
  }

  get #lastKnown(): Connection {
    return this.#ports.supervisor.lastKnown;
  }

  readonly stats = (): ClientStats => ({ dropped: { ...this.#ports.settings.counts } });

  readonly complete = async (
    ref: unknown,
    argument: unknown,
    given?: Record<string, string>,
    options?: CallOptions,
  ): Promise<Completion> => {
    const context = given === undefined ? {} : { context: { arguments: given } };
    const params = { ref, argument, ...context };
    return (await this.#send('completion/complete', params, options)).completion as Completion;
  };

  readonly setLogLevel = async (level: LoggingLevel, options?: CallOptions): Promise<void> => {
    checkLogLevel(level);
    const method = 'logging/setLevel';
    const { conversation, capabilities } = await this.#connected(method, options);
    needForRequest(conversation.revision, capabilities, method);
    // Stored for revisions in which every request carries it, and for later connections.
    this.#ports.settings.logLevel = level;
    if (conversation.revision.client.requests.has(method)) await this.#send(method, { level }, options);
  };

  readonly ping = async (options?: WaitOptions): Promise<void> => {
    const { conversation } = await this.#connected('ping', options);
    // Revisions without sessions have no ping: discovery is the smallest request there.
    const method = conversation.revision.client.requests.has('ping') ? 'ping' : 'server/discover';
    await this.#send(method, undefined, options);
  };

  readonly subscribe = (filter: SubscriptionFilter, options?: WaitOptions): Promise<Subscription> =>
    openChanges(this.#ports, filter, options);

  readonly sendRootsListChanged = (): void => {
    if (this.#ports.settings.urlElicitations.answers.roots === undefined) throw noRoots();
    // A server that is not connected now, or whose calls stand alone, will request the roots again.
    const conversation = this.#ports.supervisor.current?.conversation;
    if (conversation?.revision.client.notifications.has(rootsListChanged)) conversation.notify(rootsListChanged);
  };

  readonly request = ((method: string | MethodDefinition, params?: Fields, options?: CallOptions): Promise<unknown> => {
    if (method === 'tools/call') return this.#toolMethods.call(params ?? {}, options);
    if (typeof method === 'string') return this.#send(method, params, options);
    const { extensions } = this.#ports.settings;
    return extensions.request(this.#requesting(method.method, options), method, params, options);
  }) as Client['request'];

  readonly round = (method: string, params?: Fields, options?: RoundOptions): Promise<Outcome> =>
    this.#ports.calls.round(method, params, options);

  readonly batch = (
    requests: readonly BatchRequest[],
    options?: WaitOptions,
  ): Promise<PromiseSettledResult<Fields>[]> => sendBatch(this.#ports, requests, options);

  readonly notify = (notification: ClientNotificationDefinition, params: unknown): void =>
    this.#ports.settings.extensions.notify(this.#requesting(notification.method), notification, params);

  readonly close = (options?: { readonly timeoutMs?: number }): Promise<void> => this.#ports.close(options);

  readonly [Symbol.asyncDispose] = (): Promise<void> => this.close();

  async #send(method: string, params?: Fields, options?: CallOptions): Promise<Fields> {
    return (await this.#ports.calls.request(method, params, options)).result;
  }

  /** Waits for the connection, as long as other calls do: some requests depend on the server. */
  async #connected(method: string, options: CallOptions | undefined): Promise<Connection> {
    checkCall(method, undefined, options);
    const { supervisor, settings } = this.#ports;
    const { timeoutMs = settings.timeoutMs, maxTotalTimeoutMs: totalMs = timeoutMs, signal } = options ?? {};
    return (
      supervisor.current ?? (await supervisor.waitForConnection({ timeoutMs: Math.min(timeoutMs, totalMs), signal }))
    );
  }

  #requesting(method: string, options?: CallOptions): RequestingPorts<CallOptions> {
    return {
      capabilities: () => this.capabilities,
      waitForCapabilities: async () => (await this.#connected(method, options)).capabilities,
      request: (method, params, options) => this.#send(method, params, options),
      notify: (method, params) => this.#lastKnown.conversation.notify(method, params),
    };
  }
}

const rootsListChanged = 'notifications/roots/list_changed';

const noRoots = (): TenonError =>
  new TenonError(
    'invalid-outgoing-message',
    'This client did not declare roots, so it cannot send that they changed.',
    {
      hint: 'Pass `roots` in the option "handlers".',
    },
  );

const prompts: ListSource<Prompt> = { method: 'prompts/list', key: 'prompts' };

function createPrompts(ports: ClientMethodsPorts): Client['prompts'] {
  const list = (options?: CallOptions): PaginatedList<Prompt> => listFrom(ports, prompts, options);
  async function get(name: string, args: Fields = {}, options?: CallOptions): Promise<GetPromptResult> {
    const { result } = await ports.calls.request('prompts/get', { name, arguments: args }, options);
    return result as unknown as GetPromptResult;
  }
  return {
    list,
    watchList: (onChange, options) =>
      watch(ports, { promptsListChanged: true }, (how) => list(how).all(), onChange, options),
    get: get as unknown as Client['prompts']['get'],
  };
}
