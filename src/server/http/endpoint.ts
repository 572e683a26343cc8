/** The endpoint: one address at which all revisions are served, whichever runtime carries the requests. */
import { completeLimits } from '../../jsonrpc/limits.ts';
import { createExchanges } from '../exchange.ts';
import { insidesOf } from '../insides.ts';
import { speaksSessions } from '../select.ts';
import type { LoneCalls } from './exchange-reply.ts';
import { createGuard } from './guard.ts';
import { type HttpRequest, type HttpResponder, leaving, refuse } from './message.ts';
import { defaultSettings, type HttpOptions } from './options.ts';
import { keepAlive } from './outlet.ts';
import { createPost } from './post.ts';
import type { SessionHost } from './session.ts';
import { createSessionVerbs, postOnly } from './session-verbs.ts';
import { createSessionTable } from './sessions.ts';

export interface HttpEndpoint {
  handle(request: HttpRequest, responder: HttpResponder): void;
  /** Sessions that live, and streams that are open. */
  readonly counts: () => { readonly sessions: number; readonly streams: number; readonly running: number };
  /** Lets no more requests in, sends the answers of calls under way, waits for them no longer than given, then ends all streams. */
  close(waitMs?: number): Promise<void>;
}

export function createEndpoint(server: object, options: HttpOptions = {}): HttpEndpoint {
  const { serving, speaking } = insidesOf(server);
  const settings = { ...defaultSettings, ...options };
  const guard = createGuard(options);
  const rules = { limits: completeLimits(options.limits), strict: options.strict === true };
  const fault = (error: Error): void => options.fault?.(error);
  const open = new Set<never>() as LoneCalls['open'];
  let drained = (): void => {};
  const { maxWaiting, maxRunning, maxKept, maxStreams, answerTimeoutMs } = settings;
  const ports = { serving, open, maxWaiting, fault, ended: () => drained() };
  const lone: LoneCalls = { ...ports, running: 0, maxRunning };
  const host: SessionHost = { ...ports, maxKept, maxStreams, answerTimeoutMs, now: Date.now, answering: 0 };
  const keepsSessions = settings.sessions && speaksSessions(speaking);
  const sessions = createSessionTable(settings.maxSessions, settings.idleMs, host.now);
  const exchanges = createExchanges(serving, speaking);
  const post = createPost({
    speaking,
    lone,
    host,
    sessions,
    exchanges,
    rules,
    keepsSessions,
    admits: () => phase === 'open',
    watch,
  });
  const verbs = createSessionVerbs({ speaking, sessions, watch });
  const stopListening = serving.feed.listen((change) => {
    exchanges.changed(change);
    sessions.each(({ session }) => session.changed(change));
  });
  let phase: 'open' | 'draining' | 'closed' = 'open';
  let watching = false;

  /** Looks after sessions and streams from time to time, as long as there are any. */
  function watch(): void {
    if (watching || phase === 'closed') return;
    watching = true;
    serving.deadlines.add(settings.keepAliveMs, () => {
      watching = false;
      keepAlive(lone);
      sessions.sweep();
      if (open.size > 0 || sessions.size > 0) watch();
    });
  }

  function handle(request: HttpRequest, responder: HttpResponder): void {
    const refused = phase === 'closed' ? leaving : guard(request);
    if (refused !== undefined) return refuse(responder, refused);
    if (request.method === 'POST') return post(request, responder);
    if (phase !== 'open') return refuse(responder, leaving);
    if (keepsSessions) verbs(request, responder);
    else refuse(responder, postOnly);
  }

  return {
    handle,
    counts: () => ({ sessions: sessions.size, streams: open.size, running: lone.running + host.answering }),
    async close(waitMs = 5000) {
      if (phase !== 'open') return;
      phase = 'draining';
      exchanges.end();
      await new Promise<void>((resolve) => {
        const deadline = serving.deadlines.add(waitMs, resolve);
        drained = (): void => {
          if (lone.running + host.answering > 0) return;
          serving.deadlines.cancel(deadline);
          resolve();
        };
        drained();
      });
      phase = 'closed';
      stopListening();
      sessions.endAll('the server is closing');
      for (const sink of open) sink.end();
      open.clear();
    },
  };
}
