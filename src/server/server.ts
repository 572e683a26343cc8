/** A server as its author holds it: a definition made ready, the door for changes, and the door for channels. */
import { createDeadlines } from '../jsonrpc/deadlines.ts';
import { runSafely } from '../jsonrpc/run-safely.ts';
import type { Input } from '../schema/standard.ts';
import type { Channel } from '../transport/channel.ts';
import { type Connection, type ServeOptions, serveChannel } from './channel/serve-channel.ts';
import type { ServerNews } from './definition/extension.ts';
import type { Middleware } from './definition/middleware.ts';
import type { Mountable, Mounts, NoMounts, Offer, Prompts, ServerDefinition, Tools } from './definition/server.ts';
import { setInsides } from './internals.ts';
import { createOnce, type IdempotencyOptions } from './kernel/idempotency.ts';
import type { Serving } from './kernel/serving.ts';
import { createSpeaking, type SpeakingOptions } from './lifecycle/offered-revisions.ts';
import { checkServerOptions } from './options.ts';
import type { FailedCall } from './ports/call-limits.ts';
import { createChangeFeed } from './ports/change-notifications.ts';
import { telling } from './registry/extension-notifications.ts';
import { contractsOf } from './registry/extensions.ts';
import type { Joined } from './registry/mount.ts';
import { createOffering, type Draft } from './registry/offering.ts';
import type { SealOptions } from './server-requests/sealed-state.ts';
import { createSealer } from './server-requests/sealed-state.ts';

export interface ServerOptions extends SpeakingOptions {
  /** Run in order around every call, subscription and change of the log level. */
  readonly middleware?: readonly Middleware[];
  /** How long a call of a tool, a read, a prompt or a completion may take, unless its own definition says otherwise. */
  readonly timeoutMs?: number;
  /** How many calls of one connection may run at once. */
  readonly maxConcurrent?: number;
  /** How often one call may ask the client. */
  readonly maxRounds?: number;
  /** The schemes of pages that users may be asked to open; http and https by default. */
  readonly urlSchemes?: readonly string[];
  /** How the state of calls that ask is sealed. */
  readonly state?: SealOptions;
  /** How long calls that name an idempotency key are remembered, and how many; `false` has keys ignored. */
  readonly idempotency?: IdempotencyOptions | false;
  /** Runs handlers that ask again under every revision, so that one which cannot be run again shows itself. */
  readonly replay?: boolean;
  /**
   * Whether answers count that come without the state of the call they were given to. Off by default: such an answer may
   * have been given to a question that has changed since, or by somebody else.
   */
  readonly unboundAnswers?: boolean;
  /** Hears of what handlers threw; by default it goes to the console's error output. */
  readonly failed?: (error: unknown, call: FailedCall) => void;
}

export interface Server<T = Tools, P = Prompts> extends Mountable<T, P> {
  readonly name: string;
  readonly version: string;
  /** What is offered at present, with what is mounted. */
  readonly offer: Offer<T, P>;
  /** Changes what is offered. Every connection hears of it in the way of its revision. */
  update(change: (draft: Draft) => void): void;
  /** Says that the contents of a resource have changed. */
  updated(uri: string): void;
  /**
   * Tells every client in a session that declared the extension. Where every request stands alone nobody is told: there,
   * a handler tells what belongs to its call.
   */
  notify<N extends ServerNews>(news: N, params: Input<N['params']>): void;
  /** Serves one connection. The same server can serve any number of them at once. */
  accept(channel: Channel, options?: ServeOptions): Connection;
}

const webSchemes: readonly string[] = ['https', 'http'];

/** Makes a server. A definition error throws here, with the place and the mend. */
export function createServer<
  const T extends Tools = Tools,
  const P extends Prompts = Prompts,
  const M extends Mounts = NoMounts,
>(
  definition: ServerDefinition<T, P, M>,
  options: ServerOptions = {},
): Server<Joined<T, M, 'tools'>, Joined<P, M, 'prompts'>> {
  checkServerOptions(options);
  const feed = createChangeFeed();
  const offering = createOffering(definition, feed);
  const speaking = createSpeaking(options, contractsOf(definition.extensions));
  const middleware = [...(options.middleware ?? [])];
  const deadlines = createDeadlines();
  const { idempotency = {} } = options;
  const serving: Serving = {
    registry: () => offering.registry,
    feed,
    middleware,
    sealer: createSealer(options.state),
    deadlines,
    once: idempotency === false ? undefined : createOnce(idempotency, deadlines.now),
    timeoutMs: options.timeoutMs,
    maxConcurrent: options.maxConcurrent ?? 1000,
    maxRounds: options.maxRounds ?? 16,
    urlSchemes: options.urlSchemes ?? webSchemes,
    replay: options.replay ?? false,
    unboundAnswers: options.unboundAnswers ?? false,
    failed: heard(options.failed ?? toConsole),
  };
  const server: Server<Joined<T, M, 'tools'>, Joined<P, M, 'prompts'>> = {
    name: definition.name,
    version: definition.version,
    get offer() {
      return offering.whole as Offer<Joined<T, M, 'tools'>, Joined<P, M, 'prompts'>>;
    },
    middleware,
    update: offering.update,
    updated: offering.updated,
    follow: offering.follow,
    notify: (news, params) => feed.publish(telling(definition.extensions, news, params)),
    accept(channel, own = {}) {
      const { replay = serving.replay, deadlines = serving.deadlines } = own;
      return serveChannel({ ...serving, replay, deadlines }, speaking, channel, own);
    },
  };
  setInsides(server, { serving, speaking, secrets: options.state?.secrets });
  return server;
}

/** Somebody has to see what no peer may see. The error output is free on every transport. */
function toConsole(error: unknown, { method, target, requestId }: FailedCall): void {
  const where = [method, target].filter((word) => word !== '').join(' ');
  const request = requestId === undefined ? '' : ` (request ${requestId})`;
  console.error(where === '' ? 'tenon:' : `tenon: ${where} failed${request}:`, error);
}

/** Whoever hears of failures may fail too, and must not bring down what it hears of. */
const heard =
  (hear: Serving['failed']): Serving['failed'] =>
  (error, call) => {
    runSafely(
      () => hear(error, call),
      (second) => toConsole(second, call),
    );
  };
