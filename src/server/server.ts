/** A server as its author holds it: a compiled definition that can be changed, and accepts channels. */
import { createDeadlines } from '../jsonrpc/deadlines.ts';
import { runSafely } from '../jsonrpc/run-safely.ts';
import type { Input } from '../schema/standard.ts';
import type { Transport } from '../transport/channel.ts';
import { type AcceptOptions, type ServerConnection, serveChannel } from './channel/serve-channel.ts';
import type { ServerNotificationDefinition } from './definition/extension.ts';
import type { Middleware } from './definition/middleware.ts';
import type {
  Mountable,
  Mounts,
  NoMounts,
  Prompts,
  ServerDefinition,
  ServerFeatures,
  Tools,
} from './definition/server.ts';
import { type ServerLike, withInternals } from './internals.ts';
import { createIdempotentCalls, type IdempotencyOptions } from './kernel/idempotency.ts';
import type { Serving } from './kernel/serving.ts';
import { createOfferedRevisions, type RevisionOptions } from './lifecycle/offered-revisions.ts';
import { checkServerOptions } from './options.ts';
import type { ErrorContext } from './ports/call-limits.ts';
import { createChangeNotifier } from './ports/change-notifications.ts';
import { extensionNotification } from './registry/extension-notifications.ts';
import { contractsOf } from './registry/extensions.ts';
import type { MountedFeatures } from './registry/mount.ts';
import { createOffering, type FeaturesDraft } from './registry/offering.ts';
import type { SealOptions } from './server-requests/sealed-state.ts';
import { createSealer } from './server-requests/sealed-state.ts';

export interface ServerOptions extends RevisionOptions {
  /** Run in order around every call, subscription and change of the log level. */
  readonly middleware?: readonly Middleware[];
  /** How long a call of a tool, a read, a prompt or a completion may take, unless its own definition says otherwise. */
  readonly timeoutMs?: number;
  /** How many calls of one connection may run at once. */
  readonly maxConcurrent?: number;
  /** How often one call may ask the client. */
  readonly maxRounds?: number;
  /** The schemes of pages that users may be asked to open; http and https by default. */
  readonly allowedUrlSchemes?: readonly string[];
  /** How the state of calls that ask is sealed. */
  readonly state?: SealOptions;
  /** How long calls that name an idempotency key are remembered, and how many; `false` has keys ignored. */
  readonly idempotency?: IdempotencyOptions | false;
  /** Runs handlers that ask again under every revision, so that one which cannot be run again shows itself. */
  readonly alwaysReplay?: boolean;
  /**
   * Whether answers count that come without the state of the call they were given to. Off by default: such an answer may
   * have been given to a question that has changed since, or by somebody else.
   */
  readonly unboundAnswers?: boolean;
  /** Hears of what handlers threw; by default it goes to the console's error output. */
  readonly onError?: (error: unknown, call: ErrorContext) => void;
}

export interface Server<T = Tools, P = Prompts> extends Mountable<T, P>, ServerLike {
  readonly name: string;
  readonly version: string;
  /** What is offered at present, with what is mounted. */
  readonly features: ServerFeatures<T, P>;
  /** Changes what is offered. Every connection hears of it in the way of its revision. */
  update(change: (draft: FeaturesDraft) => void): void;
  /** Says that the contents of a resource have changed. */
  sendResourceUpdated(uri: string): void;
  /**
   * Tells every client in a session that declared the extension. Where every request stands alone nobody is told: there,
   * a handler tells what belongs to its call.
   */
  notify<N extends ServerNotificationDefinition>(news: N, params: Input<N['params']>): void;
  /** Serves one connection. The same server can serve any number of them at once. */
  accept(channel: Transport, options?: AcceptOptions): ServerConnection;
}

const webSchemes: readonly string[] = ['https', 'http'];

/** Makes a server. A definition error throws here, with the place and a hint. */
export function createServer<
  const T extends Tools = Tools,
  const P extends Prompts = Prompts,
  const M extends Mounts = NoMounts,
>(
  definition: ServerDefinition<T, P, M>,
  options: ServerOptions = {},
): Server<MountedFeatures<T, M, 'tools'>, MountedFeatures<P, M, 'prompts'>> {
  checkServerOptions(options);
  const changes = createChangeNotifier();
  const offering = createOffering(definition, changes);
  const offered = createOfferedRevisions(options, contractsOf(definition.extensions));
  const middleware = [...(options.middleware ?? [])];
  const deadlines = createDeadlines();
  const { idempotency = {} } = options;
  const serving: Serving = {
    registry: () => offering.registry,
    changes,
    middleware,
    sealer: createSealer(options.state),
    deadlines,
    idempotency: idempotency === false ? undefined : createIdempotentCalls(idempotency, deadlines.now),
    timeoutMs: options.timeoutMs,
    maxConcurrent: options.maxConcurrent ?? 1000,
    maxRounds: options.maxRounds ?? 16,
    urlSchemes: options.allowedUrlSchemes ?? webSchemes,
    replay: options.alwaysReplay ?? false,
    unboundAnswers: options.unboundAnswers ?? false,
    failed: guardedFailed(options.onError ?? toConsole),
  };
  const server: Omit<Server<MountedFeatures<T, M, 'tools'>, MountedFeatures<P, M, 'prompts'>>, keyof ServerLike> = {
    name: definition.name,
    version: definition.version,
    get features() {
      return offering.whole as ServerFeatures<MountedFeatures<T, M, 'tools'>, MountedFeatures<P, M, 'prompts'>>;
    },
    middleware,
    update: offering.update,
    sendResourceUpdated: offering.updated,
    follow: offering.follow,
    notify: (news, params) => changes.publish(extensionNotification(definition.extensions, news, params)),
    accept(channel, own = {}) {
      const { replay = serving.replay, deadlines = serving.deadlines } = own;
      return serveChannel({ ...serving, replay, deadlines }, offered, channel, own);
    },
  };
  return withInternals(server, { serving, offered, secrets: options.state?.secrets });
}

/** No peer may see these errors, so the author has to. The error output is free on every transport. */
function toConsole(error: unknown, { method, target, requestId }: ErrorContext): void {
  const where = [method, target].filter((word) => word !== '').join(' ');
  const request = requestId === undefined ? '' : ` (request ${requestId})`;
  console.error(where === '' ? 'tenon:' : `tenon: ${where} failed${request}:`, error);
}

/** The author's callback may throw too, which must not fail the call it is about. */
const guardedFailed =
  (failed: Serving['failed']): Serving['failed'] =>
  (error, call) => {
    runSafely(
      () => failed(error, call),
      (second) => toConsole(second, call),
    );
  };
