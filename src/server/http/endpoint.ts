/** The endpoint: one address at which all revisions are served, whichever runtime carries the requests. */
import { createAdmission } from './authentication.ts';
import type { Dropped } from './dropped.ts';
import { createParts, tellChanges } from './endpoint-parts.ts';
import { createGuard } from './guard.ts';
import { type HttpRequest, type HttpResponder, leaving, type Refused, refuse } from './message.ts';
import { defaultSettings, type HttpOptions } from './options.ts';
import { hintReturn, keepAlive } from './outlet.ts';

export interface HttpEndpoint {
  handle(request: HttpRequest, responder: HttpResponder): void;
  /** Refuses a request whose body could not be read. */
  refuse(responder: HttpResponder, method: string, refused: Refused): void;
  /** Sessions that live, and streams that are open. */
  readonly counts: () => { readonly sessions: number; readonly streams: number; readonly running: number };
  /** What arrived and was dropped, and readers that were let go, by why. */
  readonly dropped: Readonly<Dropped>;
  /** Lets no more requests in, sends the answers of calls under way, waits for them no longer than given, then ends all streams. */
  close(waitMs?: number): Promise<void>;
}

export function createEndpoint(server: object, options: HttpOptions = {}): HttpEndpoint {
  const guard = createGuard(options);
  const parts = createParts(server, options, { admits: () => phase === 'open', watch, ended: () => drained() });
  const { serving, log, dropped, lone, keeping, exchanges, post, verbs } = parts;
  const { host, sessions } = keeping;
  const { open } = lone;
  const { keepAliveMs = defaultSettings.keepAliveMs, authenticate } = options;
  const admit = authenticate && createAdmission(authenticate, parts.fault);
  const stopListening = tellChanges(parts);
  let drained = (): void => {};
  let phase: 'open' | 'draining' | 'closed' = 'open';
  let watching = false;

  /** Looks after sessions and streams from time to time, as long as there are any. */
  function watch(): void {
    if (watching || phase === 'closed') return;
    watching = true;
    serving.deadlines.add(keepAliveMs, () => {
      watching = false;
      keepAlive(lone);
      sessions.sweep();
      if (open.size > 0 || sessions.size > 0) watch();
    });
  }

  /** Settles when nothing runs any more, or that has taken too long. */
  const drain = (waitMs: number): Promise<void> =>
    new Promise((resolve) => {
      const deadline = serving.deadlines.add(waitMs, resolve);
      drained = (): void => {
        if (lone.running + host.answering > 0) return;
        serving.deadlines.cancel(deadline);
        resolve();
      };
      drained();
    });

  function handle(request: HttpRequest, responder: HttpResponder): void {
    const refused = phase === 'closed' ? leaving : guard(request);
    if (refused !== undefined) return refuse(responder, refused);
    if (admit === undefined) serve(request, responder);
    else admit(request, responder, () => serve(request, responder));
  }

  function serve(request: HttpRequest, responder: HttpResponder): void {
    if (request.method === 'POST') return post(request, responder);
    if (phase !== 'open') return refuse(responder, leaving);
    verbs(request, responder);
  }

  const counts: HttpEndpoint['counts'] = () => ({
    sessions: sessions.size,
    streams: open.size,
    running: lone.running + host.answering,
  });

  return {
    handle: log === undefined ? handle : (request, responder) => handle(request, log.following(request, responder)),
    refuse(responder, method, refused) {
      refuse(responder, refused);
      log?.refused(responder, method, refused.status);
    },
    counts,
    dropped,
    async close(waitMs = 5000) {
      if (phase !== 'open') return;
      phase = 'draining';
      log?.draining(counts());
      exchanges.end();
      await drain(waitMs);
      phase = 'closed';
      stopListening();
      hintReturn(lone);
      keeping.close();
      for (const sink of open) sink.end();
      open.clear();
      log?.closed();
    },
  };
}
