/** The endpoint: one URL at which all revisions are served, whatever the runtime. */
import type { Deadlines } from '../../lib/time/deadlines.ts';
import { internalsForNetwork, type ServerInternals, type ServerLike } from '../internals.ts';
import type { Serving } from '../kernel/serving.ts';
import { withUsers } from '../kernel/store-users.ts';
import { createExchanges } from '../lifecycle/exchange.ts';
import { offersSessions } from '../lifecycle/select.ts';
import type { SubscriptionPorts } from '../lifecycle/subscriptions.ts';
import { Gate } from './admission/gate/gate.ts';
import { checkIssuers } from './admission/trusted-issuers.ts';
import { createAdmit } from './admit.ts';
import { ClientPings, type PingedSessions, type PingOptions } from './client-pings.ts';
import { EndpointLife } from './endpoint-life.ts';
import { type EventSink, type HttpRequest, type HttpResponder, refuse, refuseRead, serverClosing } from './message.ts';
import { createPost } from './post/post.ts';
import { forBrowser } from './reply/browser-page.ts';
import { cancelledByClose } from './reply/close-errors.ts';
import { endAll, keepAlive, sendRetryHint } from './reply/event-output.ts';
import { cancelAll, type ExchangeCalls, hintListeners } from './reply/exchange-reply.ts';
import { QueuedOutput } from './reply/queued-output.ts';
import type { Dropped, HttpStats } from './reporting/dropped.ts';
import { tappedAdmit } from './reporting/tapped-requests.ts';
import { createReporting } from './reporting/warnings.ts';
import { pingedSessions } from './session/pinged-session.ts';
import { createRevocation, type Revocation } from './session/revocation.ts';
import type { SessionHost } from './session/session.ts';
import { createSessionStorage } from './session/session-storage.ts';
import type { SessionTable } from './session/session-table.ts';
import { createSessionVerbs, refuseVerbs } from './session/session-verbs.ts';
import { type HttpSettings, messageLimitsOf, offeredHere } from './settings.ts';

export interface HttpEndpoint extends Pick<Revocation, 'revoke' | 'onRevoked'> {
  /** Admits a request (host and origin, authentication, body), then serves it. */
  handle(request: HttpRequest, responder: HttpResponder): void;
  /** Reports a warning of the code around the endpoint. */
  warn(error: Error): void;
  /** Logs a request that was refused before it reached the endpoint. */
  logRefused(status: number): void;
  stats(): HttpStats;
  /** Pings the clients of sessions that listen here. */
  ping(options?: PingOptions): Promise<PingedSessions>;
  /** Counts of dropped messages, by reason; HTTP+SSE adds to them. */
  readonly dropped: Dropped;
  /** Limits sessions and calls, which those of HTTP+SSE count towards. */
  readonly gate: Gate;
  /** What waits for clients, which responses of HTTP+SSE count towards. */
  readonly queued: QueuedOutput;
  /** Admits no more requests, sends the results of running calls, waits for them for `waitMs` at most, then ends all streams. */
  close(waitMs?: number): Promise<void>;
}

export function createEndpoint(server: ServerLike, settings: HttpSettings): HttpEndpoint {
  const internals = internalsHere(internalsForNetwork(server), settings);
  const { serving, offered } = internals;
  const { maxQueuedChars, maxTotalQueuedChars } = settings.limits;
  const { log, dropped, warn } = createReporting(settings);
  const gate = createGate(settings, serving.deadlines, () => life.callFinished());
  checkIssuers(settings.authenticate, serving.guard, warn);
  const life = new EndpointLife(serving.deadlines, upkeepEvery(settings), {
    activeCalls: () => gate.runningCalls + gate.waitingCalls + host.answering,
    upkeep() {
      keepAlive(calls);
      sessions.sweep();
      return calls.open.size > 0 || sessions.size > 0;
    },
  });
  const shared = { serving, ...challengeOf(settings), life, open: new Set<EventSink>(), maxQueuedChars, warn };
  const hasSessions = settings.hasSessions && offersSessions(offered);
  const calls = callsOf(shared, hasSessions ? () => sessions : undefined);
  const storage = createSessionStorage(internals, settings, { ...shared, log, dropped }, gate, (owner) =>
    revocation.revokedElsewhere(owner),
  );
  const { host, sessions } = storage;
  const revocation = createRevocation(calls, sessions, host);
  const exchanges = createExchanges(serving, offered, subscriptionPorts(settings, host));
  const rules = { limits: messageLimitsOf(settings.limits), strict: settings.strict };

  const admission = { gate, warn, log, guard: serving.guard, onRevoked: revocation.onRevoked };
  const admit = tappedAdmit(createAdmit(settings, admission), settings.tap);
  const post = createPost({ offered, life, gate, calls, host, sessions, exchanges, rules, hasSessions });
  const serveVerb = hasSessions ? createSessionVerbs({ offered, life, gate, host, sessions }) : refuseVerbs;
  const pings = pingsOf(sessions, serving, settings);
  const stopListening = storage.listen((change, number) => {
    exchanges.changed(change);
    sessions.each((session) => session.receiveChange(change, number));
  });
  let closed: Promise<void> | undefined;

  function handle(request: HttpRequest, responder: HttpResponder): void {
    if (life.isClosed) refuseRead(request, responder, serverClosing);
    else admit(request, forBrowser(request, responder, shownName(settings, serving)), serve);
  }

  /** The endpoint may have begun to close while a request was admitted. A POST may still answer a server request of a running call. */
  function serve(request: HttpRequest, responder: HttpResponder): void | Promise<void> {
    const isPost = request.method === 'POST';
    if (life.isClosed || !(life.isOpen || isPost)) return refuse(responder, serverClosing);
    return isPost ? post(request, responder) : serveVerb(request, responder);
  }

  const stats = (): HttpStats => ({ ...statsOf(sessions, calls, gate, dropped), ...serving.tasks.counts() });
  async function close(waitMs: number): Promise<void> {
    life.beginDraining();
    pings.stop();
    log?.draining(stats());
    hintListeners(calls);
    exchanges.end();
    storage.drain();
    await life.drained(waitMs);
    life.close();
    await stopListening();
    sendRetryHint(calls);
    cancelAll(calls, cancelledByClose);
    await storage.close();
    endAll(calls);
    log?.closed();
  }

  return {
    handle: log === undefined ? handle : (request, responder) => handle(request, log.logged(request, responder)),
    warn,
    logRefused: (status) => log?.logRefused(status),
    stats,
    dropped,
    gate,
    queued: new QueuedOutput(maxTotalQueuedChars, serving.deadlines, warn),
    ping: pings.ping,
    ...revocation,
    close: (waitMs = settings.timeouts.shutdownMs) => (closed ??= close(waitMs)),
  };
}

const pingsOf = (sessions: SessionTable, { deadlines }: Serving, { timeouts }: HttpSettings): ClientPings =>
  new ClientPings(() => pingedSessions(sessions, deadlines), deadlines, timeouts.pingIntervalMs);

const subscriptionPorts = ({ authenticate }: HttpSettings, host: SessionHost): SubscriptionPorts => ({
  changesKnown: () => host.changes?.known(),
  hasPrincipals: authenticate !== undefined,
});

const challengeOf = ({ authenticate }: HttpSettings) => ({ challengeDetails: authenticate?.challengeDetails ?? {} });

/** The name of the server, unless it is protected: then a browser of anyone does not get it. */
const shownName = ({ authenticate }: HttpSettings, serving: Serving): string | undefined =>
  authenticate === undefined && serving.guard === undefined ? serving.registry().info.name : undefined;

const statsOf = (sessions: SessionTable, calls: ExchangeCalls, gate: Gate, dropped: Dropped): HttpStats => ({
  sessions: sessions.size,
  streams: calls.open.size,
  activeCalls: gate.runningCalls,
  waitingCalls: gate.waitingCalls,
  dropped: { ...dropped },
});

/** The dialects are those of the endpoint. `authenticate` may store something of its own where the server does. */
const internalsHere = (internals: ServerInternals, settings: HttpSettings): ServerInternals => ({
  ...internals,
  offered: offeredHere(internals, settings),
  useStore: (...args) => withUsers([settings.authenticate?.useStore], args[0], () => internals.useStore(...args)),
});

type CallSettings = Omit<ExchangeCalls, 'unfinished' | 'logTo'>;

/** With sessions, log messages of calls reach the stream on which their principal listens. */
function callsOf(settings: CallSettings, sessions: (() => SessionTable) | undefined): ExchangeCalls {
  const calls: ExchangeCalls = { ...settings, unfinished: new Set() };
  if (sessions === undefined) return calls;
  const logTo: ExchangeCalls['logTo'] = (owner, message) => {
    const listening = sessions().listening(owner);
    const revision = listening?.session.revision();
    if (revision !== undefined) listening?.notify(revision, message);
  };
  return { ...calls, logTo, levelOf: (owner) => sessions().listening(owner)?.session.logLevel ?? 'info' };
}

const createGate = (
  { trustedProxies, authenticate, limits, sessions, timeouts }: HttpSettings,
  deadlines: Deadlines,
  onRelease: () => void,
): Gate =>
  new Gate({
    maxCalls: limits.maxConcurrentCalls,
    maxSessions: sessions.maxCount,
    maxBytes: limits.maxTotalReceivedBytes,
    queue: { maxCalls: limits.maxQueuedCalls, timeoutMs: timeouts.queueMs, deadlines },
    trustedProxies,
    hasPrincipals: authenticate !== undefined,
    onRelease,
  });

/** Often enough to extend the record of a session in use well before it expires. */
const upkeepEvery = ({ timeouts, sessions }: HttpSettings): number =>
  Math.min(timeouts.keepAliveMs, sessions.idleTimeoutMs / 4);
