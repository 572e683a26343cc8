/** The methods of a client, each sent where the server declared what it needs. */
import { TenonError } from '../jsonrpc/errors.ts';
import type { PeerCounts } from '../jsonrpc/peer.ts';
import { digestOf } from '../protocol/canonical-json.ts';
import { ownContent } from '../protocol/fitting/structured.ts';
import type {
  Completion,
  GetPromptResult,
  LoggingLevel,
  Prompt,
  ReadResourceResult,
  Resource,
  ResourceTemplate,
  Tool,
} from '../protocol/generated/types/records.ts';
import type { Fields } from '../protocol/neutral.ts';
import type { Schema } from '../schema/standard.ts';
import type { Cache } from './cache/cache.ts';
import type { Ask } from './calls.ts';
import type { ChangeFilter } from './changes.ts';
import { type CallOptions, type Client, type ClientConnection, need, type Watching } from './client.ts';
import type { Extensions } from './extensions.ts';
import { withoutUnsafeIcons } from './icons/safe.ts';
import type { KnownTools } from './known-tools.ts';
import type { Life } from './life/life.ts';
import { createListing, type Listing } from './listing.ts';
import { createOutputCheck } from './outputs.ts';
import type { Subscriptions } from './subscriptions.ts';

export interface FeaturePorts {
  readonly life: Life;
  readonly connection: ClientConnection;
  readonly ask: Ask;
  readonly cache: Cache;
  readonly counts: Readonly<PeerCounts>;
  readonly subscriptions: Subscriptions;
  readonly extensions: Extensions;
  readonly tools: KnownTools;
  readonly outputs: ((schema: object) => Schema) | undefined;
  /** Whether the server was told that it can ask for roots. */
  readonly hasRoots: boolean;
  /** Hears what those who watch throw, and why a look failed. */
  fault(error: Error): void;
  /** Keeps the level, for revisions in which every request names it and for connections to come. */
  setLogLevel(level: LoggingLevel): void;
  readonly close: Client['close'];
}

export function createFeatures<S>(ports: FeaturePorts): Client<S> {
  const { ask, cache, life } = ports;
  const { listTools, listResources, listTemplates, listPrompts } = createLists(ports);
  const checkOutput = createOutputCheck(
    ports.outputs,
    // What a tool promises is held against it, so it has to be what the server says now.
    () => listTools({ fresh: true }).all(),
    () => life.known,
  );
  const read = async (uri: string, options?: CallOptions): Promise<ReadResourceResult> =>
    (await cache.ask('resources', 'resources/read', { uri }, options)) as unknown as ReadResourceResult;
  const client = {
    connection: ports.connection,
    get revision() {
      return life.known.conversation.revision.id;
    },
    get server() {
      return withoutUnsafeIcons(life.known.server);
    },
    get capabilities() {
      return life.known.capabilities;
    },
    get instructions() {
      return life.known.instructions;
    },
    counts: ports.counts,
    cache: { counts: cache.counts, clear: () => cache.clear() },
    tools: {
      list: listTools,
      async call(name: string, given: Fields = {}, options?: CallOptions) {
        const { result } = await ask('tools', 'tools/call', { name, arguments: given }, options);
        await checkOutput(name, result);
        return ownContent(result);
      },
      watch: (hear: (tools: Tool[]) => void) => watch(ports, { tools: true }, (look) => listTools(look).all(), hear),
    },
    resources: {
      list: listResources,
      templates: listTemplates,
      watchList: (hear: (resources: Resource[]) => void) =>
        watch(ports, { resources: true }, (look) => listResources(look).all(), hear),
      watchTemplates: (hear: (templates: ResourceTemplate[]) => void) =>
        watch(ports, { resources: true }, (look) => listTemplates(look).all(), hear),
      read,
      watch: (uri: string, hear: (contents: ReadResourceResult['contents']) => void) =>
        watch(ports, { uris: [uri] }, async (look) => (await read(uri, look)).contents, hear),
    },
    prompts: {
      list: listPrompts,
      watch: (hear: (prompts: Prompt[]) => void) =>
        watch(ports, { prompts: true }, (look) => listPrompts(look).all(), hear),
      async get(name: string, given: Fields = {}, options?: CallOptions): Promise<GetPromptResult> {
        const { result } = await ask('prompts', 'prompts/get', { name, arguments: given }, options);
        return result as unknown as GetPromptResult;
      },
    },
    ...createRest(ports),
    close: ports.close,
    [Symbol.asyncDispose]: () => ports.close(),
  };
  return client as unknown as Client<S>;
}

/** What belongs to no list. */
function createRest({ ask, life, subscriptions, extensions, hasRoots, setLogLevel }: FeaturePorts) {
  const call = async (method: string, params?: Fields, options?: CallOptions): Promise<Fields> =>
    (await ask(undefined, method, params, options)).result;
  return {
    async complete(ref: unknown, argument: unknown, given?: Record<string, string>): Promise<Completion> {
      const { revision } = (life.line ?? (await life.reach({}))).conversation;
      const context = given === undefined ? {} : { context: { arguments: given } };
      const capability = revision.declaresCompletions ? 'completions' : undefined;
      const { result } = await ask(capability, 'completion/complete', { ref, argument, ...context });
      return result.completion as Completion;
    },
    async setLogLevel(level: LoggingLevel) {
      const { conversation, capabilities } = life.line ?? (await life.reach({}));
      need(capabilities, 'logging');
      setLogLevel(level);
      if (conversation.revision.client.requests.has('logging/setLevel')) await call('logging/setLevel', { level });
    },
    ping: async (options?: CallOptions) => void (await call('ping', undefined, options)),
    changes: (filter: ChangeFilter) => subscriptions.open(filter),
    rootsChanged() {
      if (!hasRoots) throw rootless();
      // A server that is not connected now will ask for the roots anew.
      life.line?.conversation.notify('notifications/roots/list_changed');
    },
    call,
    ...extensions.requesting<CallOptions>({
      capabilities: () => life.known.capabilities,
      reach: async () => (life.line ?? (await life.reach({}))).capabilities,
      ask: call,
      tell: (method, params) => life.known.conversation.notify(method, params),
    }),
  };
}

/** The lists of a server, each behind the capability it belongs to. */
function createLists({ cache, tools }: FeaturePorts) {
  const lists =
    <T>(capability: string, method: string, key: string, admit: (items: readonly T[]) => readonly T[] = (all) => all) =>
    (options?: CallOptions): Listing<T> =>
      createListing<T>(key, {
        fetch: (page) => cache.ask(capability, method, page, options),
        drop: () => cache.dropList(method),
        admit,
        safe: withoutUnsafeIcons,
      });
  return {
    listTools: lists<Tool>('tools', 'tools/list', 'tools', tools.listed),
    listResources: lists<Resource>('resources', 'resources/list', 'resources'),
    listTemplates: lists<ResourceTemplate>('resources', 'resources/templates/list', 'resourceTemplates'),
    listPrompts: lists<Prompt>('prompts', 'prompts/list', 'prompts'),
  };
}

const rootless = (): TenonError =>
  new TenonError('invalid-outgoing', 'The server was not told of any roots, so it cannot be told that they changed.', {
    hint: 'Pass `roots` in the option "answers".',
  });

/** Looks now, and again after every change, one look at a time. */
async function watch<T>(
  { subscriptions, fault }: FeaturePorts,
  filter: ChangeFilter,
  look: (options?: CallOptions) => Promise<T>,
  hear: (seen: T) => void | Promise<void>,
): Promise<Watching> {
  const changes = await subscriptions.open(filter);
  let told: string;
  const tell = async (seen: T): Promise<void> => {
    const digest = digestOf(seen);
    // What may have changed, or was said to, and did not is no change.
    if (digest === told) return;
    told = digest;
    try {
      await hear(seen);
    } catch (cause) {
      fault(new TenonError('listener-failed', 'What watches for changes threw.', { cause }));
    }
  };
  // What ends the connection is told by the connection itself.
  const missed = (error: Error): void => {
    if (!(error instanceof TenonError && error.code === 'connection-closed')) fault(error);
  };
  try {
    // What is kept may be from before anybody listened.
    const seen = await look({ fresh: true });
    told = digestOf(seen);
    await hear(seen);
  } catch (error) {
    await changes.close();
    throw error;
  }
  const watching = (async () => {
    // A look that fails is no reason to miss the next change: what was removed may come back.
    for await (const _ of changes) await look().then(tell, missed);
  })();
  // What ends the watching is told by the connection itself.
  watching.catch(() => {});
  return { stop: () => changes.close() };
}
