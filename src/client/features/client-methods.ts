/** The methods of a client, each sent where the server declared what it needs. */
import { TenonError } from '../../jsonrpc/errors.ts';
import type { PeerCounts } from '../../jsonrpc/peer-counts.ts';
import type { MethodDefinition, MethodResult } from '../../protocol/extensions/extension.ts';
import type {
  Completion,
  Implementation,
  LoggingLevel,
  ServerCapabilities,
} from '../../protocol/generated/types/records.ts';
import type { Fields } from '../../protocol/neutral.ts';
import type { ChangeFilter, Subscription } from '../api/changes.ts';
import {
  type CallOptions,
  type Client,
  type ClientCache,
  type ClientConnection,
  type WaitOptions,
} from '../api/client.ts';
import type { ClientNotificationDefinition } from '../api/extensions.ts';
import { checkCall } from '../calls/call-options.ts';
import { openChanges } from '../changes/watching.ts';
import { need } from '../connection/capabilities.ts';
import type { Connection } from '../connection/connection.ts';
import type { RequestingPorts } from '../connection/extensions.ts';
import { withoutUnsafeIcons } from '../content/icons/safe.ts';
import type { ClientMethodsPorts } from './lists.ts';
import { createPrompts } from './prompts.ts';
import { createResources } from './resources.ts';
import { createTools } from './tools.ts';

export const createClientMethods = <S>(ports: ClientMethodsPorts): Client<S> =>
  new ClientMethods(ports) as unknown as Client<S>;

/**
 * Methods are functions of their own, so that they can be handed on as in `const { close } = client`, and replaced in
 * tests. What belongs to lists is made when it is first used: a process may have many clients, most of them idle.
 */
class ClientMethods implements Client {
  readonly #ports: ClientMethodsPorts;
  #tools: Client['tools'] | undefined;
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

  get counts(): Readonly<PeerCounts> {
    return this.#ports.settings.counts;
  }

  get cache(): ClientCache {
    const { cache } = this.#ports;
    return { counts: cache.counts, clear: () => cache.clear() };
  }

  get tools(): Client['tools'] {
    this.#tools ??= createTools(this.#ports);
    return this.#tools;
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

  readonly complete = async (
    ref: unknown,
    argument: unknown,
    given?: Record<string, string>,
    options?: CallOptions,
  ): Promise<Completion> => {
    const method = 'completion/complete';
    const { revision } = (await this.#connected(method, options)).conversation;
    const context = given === undefined ? {} : { context: { arguments: given } };
    const capability = revision.declaresCompletions ? 'completions' : undefined;
    const params = { ref, argument, ...context };
    return (await this.#ports.calls.request(capability, method, params, options)).result.completion as Completion;
  };

  readonly setLogLevel = async (level: LoggingLevel, options?: CallOptions): Promise<void> => {
    const method = 'logging/setLevel';
    const { conversation, capabilities } = await this.#connected(method, options);
    need(capabilities, 'logging');
    // Kept for revisions in which every request names it, and for connections to come.
    this.#ports.settings.logLevel = level;
    if (conversation.revision.client.requests.has(method)) await this.call(method, { level }, options);
  };

  readonly ping = async (options?: CallOptions): Promise<void> => {
    await this.call('ping', undefined, options);
  };

  readonly subscribe = (filter: ChangeFilter, options?: WaitOptions): Promise<Subscription> =>
    openChanges(this.#ports, filter, options);

  readonly sendRootsListChanged = (): void => {
    if (this.#ports.settings.urlElicitations.answers.roots === undefined) throw noRoots();
    // A server that is not connected now will ask for the roots anew.
    this.#ports.supervisor.current?.conversation.notify('notifications/roots/list_changed');
  };

  readonly call = async (method: string, params?: Fields, options?: CallOptions): Promise<Fields> =>
    (await this.#ports.calls.request(undefined, method, params, options)).result;

  readonly request = <M extends MethodDefinition>(
    method: M,
    params?: unknown,
    options?: CallOptions,
  ): Promise<MethodResult<M>> =>
    this.#ports.settings.extensions.request(this.#requesting(method.method, options), method, params, options);

  readonly notify = (news: ClientNotificationDefinition, params: unknown): void =>
    this.#ports.settings.extensions.notify(this.#requesting(news.method), news, params);

  readonly close = (options?: { readonly timeoutMs?: number }): Promise<void> => this.#ports.close(options);

  readonly [Symbol.asyncDispose] = (): Promise<void> => this.close();

  /** The connection, for what depends on the server before it can be sent; it is waited for as long as by other calls. */
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
      request: (method, params, options) => this.call(method, params, options),
      notify: (method, params) => this.#lastKnown.conversation.notify(method, params),
    };
  }
}

const noRoots = (): TenonError =>
  new TenonError(
    'invalid-outgoing-message',
    'The server was not told of any roots, so it cannot be told that they changed.',
    {
      hint: 'Pass `roots` in the option "handlers".',
    },
  );
