/** What an endpoint is made of: who listens to faults, what runs, what is kept, and who serves which verb. */
import { completeLimits } from '../../jsonrpc/limits.ts';
import { internalsOf, type ServerLike } from '../internals.ts';
import type { Serving } from '../kernel/serving.ts';
import { createExchanges, type Exchanges } from '../lifecycle/exchange.ts';
import { offersSessions } from '../lifecycle/select.ts';
import type { Change } from '../ports/change-notifications.ts';
import { type HttpRequest, type HttpResponder, refuse } from './message.ts';
import { defaultSettings, type HttpOptions } from './options.ts';
import { createPost } from './post.ts';
import type { LoneCalls } from './reply/exchange-reply.ts';
import { type Dropped, nothingDropped } from './reporting/dropped.ts';
import { createEndpointLog, type EndpointLog } from './reporting/endpoint-log.ts';
import { createFault } from './reporting/warnings.ts';
import { SessionRoom } from './session/session-capacity.ts';
import { createKeeping, type Keeping } from './session/session-storage.ts';
import { createSessionVerbs, postOnly } from './session/session-verbs.ts';

/** What the parts need of the endpoint's life. */
export interface EndpointLife {
  /** Whether requests are let in. Answers and notifications are as long as something waits for them. */
  admits(): boolean;
  /** Has somebody look after sessions and streams. */
  watch(): void;
  /** A call has ended. */
  ended(): void;
}

export interface EndpointParts {
  readonly serving: Serving;
  readonly log: EndpointLog | undefined;
  readonly dropped: Dropped;
  readonly room: SessionRoom;
  fault(error: Error): void;
  readonly lone: LoneCalls;
  readonly keeping: Keeping;
  readonly exchanges: Exchanges;
  post(request: HttpRequest, responder: HttpResponder): void;
  /** The verbs besides POST. */
  verbs(request: HttpRequest, responder: HttpResponder): void;
}

export function createParts(server: ServerLike, options: HttpOptions, life: EndpointLife): EndpointParts {
  const internals = internalsOf(server);
  const { serving, offered } = internals;
  const settings = { ...defaultSettings, ...options };
  const log = createEndpointLog(options.logger);
  const dropped = nothingDropped();
  const fault = createFault(options.fault, log, dropped);
  const { maxWaiting, maxRunning, maxKept, maxStreams, answerTimeoutMs } = settings;
  // A stream may keep no more than its session: where only the one is raised, the other is meant as well.
  const maxSessionKept = options.maxSessionKept ?? Math.max(settings.maxSessionKept, maxKept);
  const ports = { serving, open: new Set<never>() as LoneCalls['open'], maxWaiting, fault, ended: life.ended };
  const lone: LoneCalls = { ...ports, watch: life.watch, running: 0, maxRunning, latest: undefined };
  const facts = { ...ports, maxKept, maxSessionKept, maxStreams, answerTimeoutMs, log, dropped };
  const room = new SessionRoom(settings.maxSessions);
  const keeping = createKeeping(internals, options.store, facts, { ...settings, room });
  const exchanges = createExchanges(serving, offered);
  const keepsSessions = settings.sessions && offersSessions(offered);
  const rules = { limits: completeLimits(options.limits), strict: options.strict === true };
  const served = { offered, host: keeping.host, sessions: keeping.sessions, ...life };
  const post = createPost({ ...served, lone, exchanges, rules, keepsSessions });
  const verbs = keepsSessions
    ? createSessionVerbs(served)
    : (_request: HttpRequest, responder: HttpResponder): void => refuse(responder, postOnly);
  return { serving, log, dropped, room, fault, lone, keeping, exchanges, post, verbs };
}

/** Tells all clients of an endpoint of changes. Gives back how to stop. */
export const tellChanges = ({ keeping, exchanges }: EndpointParts): (() => void) =>
  keeping.listen((change: Change) => {
    exchanges.changed(change);
    keeping.sessions.each(({ session, telling }) => telling.isHere && session.changed(change));
  });
