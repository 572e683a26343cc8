/** The methods of a client, each checked against what the server declared before anything is sent. */

import { TenonError } from '../jsonrpc/errors.ts';
import type { PeerCounts } from '../jsonrpc/peer.ts';
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
import { metaProblem } from '../protocol/meta-keys.ts';
import { isRecord } from '../protocol/model/primitives.ts';
import type { Fields } from '../protocol/neutral.ts';
import type { Progress } from '../protocol/progress.ts';
import type { Schema } from '../schema/standard.ts';
import type { ChangeFilter } from './changes.ts';
import { type CallOptions, type Client, need, type Watching } from './client.ts';
import { withoutUnsafeIcons } from './icons/safe.ts';
import { createListing, type Listing } from './listing.ts';
import type { Opened } from './opening.ts';
import { createOutputCheck } from './outputs.ts';
import type { Subscriptions } from './subscriptions.ts';

export interface FeaturePorts {
  readonly counts: Readonly<PeerCounts>;
  readonly progress: Progress;
  readonly subscriptions: Subscriptions;
  readonly timeoutMs: number;
  readonly outputs: ((schema: object) => Schema) | undefined;
  /** Whether the server was told that it can ask for roots. */
  readonly hasRoots: boolean;
  /** Hears what those who watch throw, and why a look failed. */
  fault(error: Error): void;
  /** Keeps the level for revisions in which every request names it. */
  setLogLevel(level: LoggingLevel): void;
  close(): Promise<void>;
}

type Ask = (method: string, params?: Fields, options?: CallOptions) => Promise<Fields>;

export function createFeatures<S>(opened: Opened, ports: FeaturePorts): Client<S> {
  const { conversation, server, capabilities, instructions } = opened;
  const has = (method: string): boolean => conversation.revision.client.requests.has(method);
  const ask = createAsk(opened, ports);
  const demand = (capability: string): void => need(capabilities, capability);
  const { listTools, listResources, listTemplates, listPrompts } = createLists(ask, demand);
  const checkOutput = createOutputCheck(ports.outputs, () => listTools().all());
  const read = async (uri: string, options?: CallOptions): Promise<ReadResourceResult> => {
    demand('resources');
    return (await ask('resources/read', { uri }, options)) as unknown as ReadResourceResult;
  };
  const client = {
    revision: conversation.revision.id,
    server: withoutUnsafeIcons(server),
    capabilities,
    instructions,
    counts: ports.counts,
    tools: {
      list: listTools,
      async call(name: string, given: Fields = {}, options?: CallOptions) {
        demand('tools');
        const result = await ask('tools/call', { name, arguments: given }, options);
        await checkOutput(name, result);
        return ownContent(result);
      },
      watch: (hear: (tools: Tool[]) => void) => watch(ports, { tools: true }, () => listTools().all(), hear),
    },
    resources: {
      list: listResources,
      templates: listTemplates,
      watchList: (hear: (resources: Resource[]) => void) =>
        watch(ports, { resources: true }, () => listResources().all(), hear),
      watchTemplates: (hear: (templates: ResourceTemplate[]) => void) =>
        watch(ports, { resources: true }, () => listTemplates().all(), hear),
      read,
      watch: (uri: string, hear: (contents: ReadResourceResult['contents']) => void) =>
        watch(ports, { uris: [uri] }, async () => (await read(uri)).contents, hear),
    },
    prompts: {
      list: listPrompts,
      watch: (hear: (prompts: Prompt[]) => void) => watch(ports, { prompts: true }, () => listPrompts().all(), hear),
      async get(name: string, given: Fields = {}, options?: CallOptions): Promise<GetPromptResult> {
        demand('prompts');
        return (await ask('prompts/get', { name, arguments: given }, options)) as unknown as GetPromptResult;
      },
    },
    async complete(ref: unknown, argument: unknown, given?: Record<string, string>): Promise<Completion> {
      if (conversation.revision.declaresCompletions) demand('completions');
      const context = given === undefined ? {} : { context: { arguments: given } };
      return (await ask('completion/complete', { ref, argument, ...context })).completion as Completion;
    },
    async setLogLevel(level: LoggingLevel) {
      demand('logging');
      ports.setLogLevel(level);
      if (has('logging/setLevel')) await ask('logging/setLevel', { level });
    },
    ping: async (options?: CallOptions) => void (await ask('ping', undefined, options)),
    changes: (filter: ChangeFilter) => ports.subscriptions.open(filter),
    rootsChanged() {
      if (!ports.hasRoots) throw rootless();
      conversation.notify('notifications/roots/list_changed');
    },
    call: ask,
    close: ports.close,
    [Symbol.asyncDispose]: ports.close,
  };
  return client as unknown as Client<S>;
}

/** The lists of a server, each behind the capability it belongs to. */
function createLists(ask: Ask, demand: (capability: string) => void) {
  const lists =
    <T>(capability: string, method: string, key: string) =>
    (options?: CallOptions): Listing<T> => {
      const fetchPage = async (page: Fields): Promise<Fields> => {
        demand(capability);
        return ask(method, page, options);
      };
      return createListing<T>(key, fetchPage, withoutUnsafeIcons);
    };
  return {
    listTools: lists<Tool>('tools', 'tools/list', 'tools'),
    listResources: lists<Resource>('resources', 'resources/list', 'resources'),
    listTemplates: lists<ResourceTemplate>('resources', 'resources/templates/list', 'resourceTemplates'),
    listPrompts: lists<Prompt>('prompts', 'prompts/list', 'prompts'),
  };
}

/** Sends a request with what goes along in `_meta`, and gives its result. */
function createAsk({ conversation }: Opened, { progress, timeoutMs }: FeaturePorts): Ask {
  return async (method, params, { onProgress, meta, ...options } = {}) => {
    checkTimeout(options.timeoutMs);
    checkMeta(meta);
    checkMeta(params?._meta);
    const send = async (token?: string): Promise<Fields> => {
      const full =
        meta === undefined && token === undefined ? params : { ...params, _meta: joined(params, meta, token) };
      return (await conversation.call(method, full, { timeoutMs, ...options })).result;
    };
    return onProgress === undefined ? send() : progress.during(onProgress, send);
  };
}

const joined = (params: Fields | undefined, meta: Readonly<Fields> | undefined, token: string | undefined): Fields => ({
  ...(isRecord(params?._meta) && params._meta),
  ...meta,
  ...(token !== undefined && { progressToken: token }),
});

function checkTimeout(timeoutMs: number | undefined): void {
  if (timeoutMs === undefined || timeoutMs > 0) return;
  throw new TenonError('invalid-argument', `timeoutMs: ${timeoutMs} is no time to wait.`, {
    hint: 'Use a number over 0, or leave it out.',
  });
}

function checkMeta(meta: unknown): void {
  const problem = meta === undefined ? undefined : metaProblem(meta);
  if (problem !== undefined) throw new TenonError('invalid-outgoing', `_meta${problem}`);
}

const rootless = (): TenonError =>
  new TenonError('invalid-outgoing', 'The server was not told of any roots, so it cannot be told that they changed.', {
    hint: 'Pass `roots` in the option "answers".',
  });

/** Looks now, and again after every change, one look at a time. */
async function watch<T>(
  { subscriptions, fault }: FeaturePorts,
  filter: ChangeFilter,
  look: () => Promise<T>,
  hear: (seen: T) => void | Promise<void>,
): Promise<Watching> {
  const changes = await subscriptions.open(filter);
  const tell = async (seen: T): Promise<void> => {
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
    await hear(await look());
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
