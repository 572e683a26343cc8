/** The methods of a client, each sent where the server declared what it needs. */
import { TenonError } from '../jsonrpc/errors.ts';
import type { PeerCounts } from '../jsonrpc/peer.ts';
import type { Answer, Method } from '../protocol/extensions/extension.ts';
import { ownContent } from '../protocol/fitting/structured.ts';
import type {
  CallToolResult,
  Completion,
  GetPromptResult,
  Implementation,
  LoggingLevel,
  Prompt,
  ReadResourceResult,
  Resource,
  ResourceTemplate,
  ServerCapabilities,
  Tool,
} from '../protocol/generated/types/records.ts';
import type { Fields } from '../protocol/neutral.ts';
import type { Schema } from '../schema/standard.ts';
import type { Cache } from './cache/cache.ts';
import type { Asker } from './calls.ts';
import type { ChangeFilter, Changes } from './changes.ts';
import {
  type CallOptions,
  type Client,
  type ClientCache,
  type ClientConnection,
  need,
  type Watching,
} from './client.ts';
import type { ClientNews, RequestingPorts } from './extensions.ts';
import { withoutUnsafeIcons } from './icons/safe.ts';
import type { KnownTools } from './known-tools.ts';
import type { Life } from './life/life.ts';
import type { Line } from './line.ts';
import { createListing, type Listing } from './listing.ts';
import { createOutputCheck } from './outputs.ts';
import type { ClientSetting } from './setting.ts';
import { bindWhenTaken } from './taken-methods.ts';
import { type WatchPorts, watch } from './watching.ts';

/** What the methods stand on. */
export interface FeaturePorts extends WatchPorts {
  readonly life: Life;
  readonly connection: ClientConnection;
  readonly calls: Asker;
  readonly cache: Cache;
  readonly setting: ClientSetting;
  readonly knownTools: KnownTools;
  readonly outputs: ((schema: object) => Schema) | undefined;
  close(options?: { readonly timeoutMs?: number }): Promise<void>;
}

/** Classes, since a process may have many clients: what they can do is there once for all of them. */
export const createFeatures = <S>(ports: FeaturePorts): Client<S> => new Features(ports) as unknown as Client<S>;

class Features {
  readonly tools: Tools;
  readonly resources: Resources;
  readonly prompts: Prompts;
  readonly #ports: FeaturePorts;

  constructor(ports: FeaturePorts) {
    this.#ports = ports;
    this.tools = new Tools(ports);
    this.resources = new Resources(ports);
    this.prompts = new Prompts(ports);
  }

  get connection(): ClientConnection {
    return this.#ports.connection;
  }

  get revision(): string {
    return this.#known.conversation.revision.id;
  }

  get server(): Implementation | undefined {
    return withoutUnsafeIcons(this.#known.server);
  }

  get instructions(): string | undefined {
    return this.#known.instructions;
  }

  get capabilities(): ServerCapabilities {
    return this.#known.capabilities;
  }

  get counts(): Readonly<PeerCounts> {
    return this.#ports.setting.counts;
  }

  get cache(): ClientCache {
    const { cache } = this.#ports;
    return { counts: cache.counts, clear: () => cache.clear() };
  }

  get #known(): Line {
    return this.#ports.life.known;
  }

  async complete(ref: unknown, argument: unknown, given?: Record<string, string>): Promise<Completion> {
    const { revision } = (await this.#reached()).conversation;
    const context = given === undefined ? {} : { context: { arguments: given } };
    const capability = revision.declaresCompletions ? 'completions' : undefined;
    const params = { ref, argument, ...context };
    return (await this.#ports.calls.ask(capability, 'completion/complete', params)).result.completion as Completion;
  }

  async setLogLevel(level: LoggingLevel): Promise<void> {
    const { conversation, capabilities } = await this.#reached();
    need(capabilities, 'logging');
    // Kept for revisions in which every request names it, and for connections to come.
    this.#ports.setting.logLevel = level;
    if (conversation.revision.client.requests.has('logging/setLevel')) await this.call('logging/setLevel', { level });
  }

  async ping(options?: CallOptions): Promise<void> {
    await this.call('ping', undefined, options);
  }

  changes(filter: ChangeFilter): Promise<Changes> {
    return this.#ports.subscriptions.open(filter);
  }

  rootsChanged(): void {
    if (this.#ports.setting.pages.answers.roots === undefined) throw rootless();
    // A server that is not connected now will ask for the roots anew.
    this.#ports.life.line?.conversation.notify('notifications/roots/list_changed');
  }

  async call(method: string, params?: Fields, options?: CallOptions): Promise<Fields> {
    return (await this.#ports.calls.ask(undefined, method, params, options)).result;
  }

  request<M extends Method>(method: M, params?: unknown, options?: CallOptions): Promise<Answer<M>> {
    return this.#ports.setting.extensions.request(this.#requesting, method, params, options);
  }

  notify(news: ClientNews, params: unknown): void {
    this.#ports.setting.extensions.notify(this.#requesting, news, params);
  }

  close(options?: { readonly timeoutMs?: number }): Promise<void> {
    return this.#ports.close(options);
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  async #reached(): Promise<Line> {
    const { life } = this.#ports;
    return life.line ?? (await life.reach({}));
  }

  get #requesting(): RequestingPorts<CallOptions> {
    return {
      capabilities: () => this.capabilities,
      reach: async () => (await this.#reached()).capabilities,
      ask: (method, params, options) => this.call(method, params, options),
      tell: (method, params) => this.#known.conversation.notify(method, params),
    };
  }
}

class Tools {
  readonly #ports: FeaturePorts;
  readonly #check: ReturnType<typeof createOutputCheck> | undefined;

  constructor(ports: FeaturePorts) {
    this.#ports = ports;
    if (ports.outputs !== undefined)
      this.#check = createOutputCheck(
        ports.outputs,
        // What a tool promises is held against it, so it has to be what the server says now.
        () => this.list({ fresh: true }).all(),
        () => ports.life.known,
      );
  }

  list(options?: CallOptions): Listing<Tool> {
    const { knownTools } = this.#ports;
    return listed<Tool>(this.#ports, 'tools', 'tools/list', 'tools', options, (tools) => knownTools.listed(tools));
  }

  async call(name: string, given: Fields = {}, options?: CallOptions): Promise<CallToolResult> {
    const { result } = await this.#ports.calls.ask('tools', 'tools/call', { name, arguments: given }, options);
    if (this.#check !== undefined) await this.#check(name, result);
    return ownContent(result) as unknown as CallToolResult;
  }

  watch(hear: (tools: Tool[]) => void): Promise<Watching> {
    return watch(this.#ports, { tools: true }, (look) => this.list(look).all(), hear);
  }
}

class Resources {
  readonly #ports: FeaturePorts;

  constructor(ports: FeaturePorts) {
    this.#ports = ports;
  }

  list(options?: CallOptions): Listing<Resource> {
    return listed(this.#ports, 'resources', 'resources/list', 'resources', options);
  }

  templates(options?: CallOptions): Listing<ResourceTemplate> {
    return listed(this.#ports, 'resources', 'resources/templates/list', 'resourceTemplates', options);
  }

  async read(uri: string, options?: CallOptions): Promise<ReadResourceResult> {
    const result = await this.#ports.cache.ask('resources', 'resources/read', { uri }, options);
    return result as unknown as ReadResourceResult;
  }

  watchList(hear: (resources: Resource[]) => void): Promise<Watching> {
    return watch(this.#ports, { resources: true }, (look) => this.list(look).all(), hear);
  }

  watchTemplates(hear: (templates: ResourceTemplate[]) => void): Promise<Watching> {
    return watch(this.#ports, { resources: true }, (look) => this.templates(look).all(), hear);
  }

  watch(uri: string, hear: (contents: ReadResourceResult['contents']) => void): Promise<Watching> {
    return watch(this.#ports, { uris: [uri] }, async (look) => (await this.read(uri, look)).contents, hear);
  }
}

class Prompts {
  readonly #ports: FeaturePorts;

  constructor(ports: FeaturePorts) {
    this.#ports = ports;
  }

  list(options?: CallOptions): Listing<Prompt> {
    return listed(this.#ports, 'prompts', 'prompts/list', 'prompts', options);
  }

  watch(hear: (prompts: Prompt[]) => void): Promise<Watching> {
    return watch(this.#ports, { prompts: true }, (look) => this.list(look).all(), hear);
  }

  async get(name: string, given: Fields = {}, options?: CallOptions): Promise<GetPromptResult> {
    const { result } = await this.#ports.calls.ask('prompts', 'prompts/get', { name, arguments: given }, options);
    return result as unknown as GetPromptResult;
  }
}

bindWhenTaken(Features, Tools, Resources, Prompts);

/** A list of the server, behind the capability it belongs to. */
const listed = <T>(
  { cache }: FeaturePorts,
  capability: string,
  method: string,
  key: string,
  options: CallOptions | undefined,
  admit: (items: readonly T[]) => readonly T[] = (all) => all,
): Listing<T> =>
  createListing<T>(key, {
    fetch: (page) => cache.ask(capability, method, page, options),
    drop: () => cache.dropList(method),
    admit,
    safe: withoutUnsafeIcons,
  });

const rootless = (): TenonError =>
  new TenonError('invalid-outgoing', 'The server was not told of any roots, so it cannot be told that they changed.', {
    hint: 'Pass `roots` in the option "answers".',
  });
