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
import type { ErrorContext, ServerLimits } from './ports/call-limits.ts';
import { createChangeNotifier } from './ports/change-notifications.ts';
import { extensionNotification } from './registry/extension-notifications.ts';
import { contractsOf } from './registry/extensions.ts';
import type { MountedFeatures } from './registry/mount.ts';
import { createOffering, type FeaturesDraft } from './registry/offering.ts';
import type { RequestStateOptions } from './server-requests/sealed-state.ts';
import { createSealer } from './server-requests/sealed-state.ts';

export interface ServerOptions extends RevisionOptions {
  /** Run in order around every call, subscription and change of the log level. */
  readonly middleware?: readonly Middleware[];
  /** How long a call of a tool, a read, a prompt or a completion may take, unless its own definition says otherwise. */
  readonly timeoutMs?: number;
  /** How much one connection and one call may use. */
  readonly limits?: ServerLimits;
  /** The schemes that the URL of an elicitation may have; http and https by default. */
  readonly allowedUrlSchemes?: readonly string[];
  /**
   * Secrets of 16 characters or more that seal `requestState` and session IDs. The first one seals; the others still
   * open what they have sealed, so that a secret can be replaced. By default each process makes a random one: what it
   * sealed is lost with a restart, and other nodes cannot open it.
   */
  readonly secrets?: readonly string[];
  /** How the state of a call that waits for input is sealed. */
  readonly requestState?: RequestStateOptions;
  /** How long calls that name an idempotency key are remembered, and how many; `false` has keys ignored. */
  readonly idempotency?: IdempotencyOptions | false;
  /** Runs handlers that ask again under every revision, so that one which cannot be run again shows itself. */
  readonly alwaysReplay?: boolean;
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
  const Text extends string = string,
>(
  definition: ServerDefinition<T, P, M, Text>,
  options: ServerOptions = {},
): Server<MountedFeatures<T, M, 'tools'>, MountedFeatures<P, M, 'prompts'>> {
  checkServerOptions(options);
  const changes = createChangeNotifier();
  const offering = createOffering(definition, changes);
  const offered = createOfferedRevisions(options, contractsOf(definition.extensions));
  const middleware = [...(options.middleware ?? [])];
  const deadlines = createDeadlines();
  const { idempotency = {}, limits = {}, requestState = {}, secrets } = options;
  const serving: Serving = {
    registry: () => offering.registry,
    changes,
    middleware,
    sealer: createSealer(requestState, secrets),
    deadlines,
    idempotency: idempotency === false ? undefined : createIdempotentCalls(idempotency, deadlines.now),
    timeoutMs: options.timeoutMs,
    maxConcurrentCalls: limits.maxConcurrentCalls ?? 1000,
    maxInputRounds: limits.maxInputRounds ?? 16,
    urlSchemes: options.allowedUrlSchemes ?? webSchemes,
    replay: options.alwaysReplay ?? false,
    requiresState: requestState.required ?? true,
    now: Date.now,
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
      const { replay = serving.replay, deadlines = serving.deadlines, now = serving.now } = own;
      return serveChannel({ ...serving, replay, deadlines, now }, offered, channel, own);
    },
  };
  return withInternals(server, { serving, offered, secrets });
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
