/** The endpoint: one address at which all revisions are served, whichever runtime carries the requests. */

import type { Deadline } from '../../jsonrpc/deadlines.ts';
import type { ServerLike } from '../internals.ts';
import { createIntake } from './admit.ts';
import { createParts, tellChanges } from './endpoint-parts.ts';
import { type HttpRequest, type HttpResponder, leaving, refuse } from './message.ts';
import { defaultSettings, type HttpOptions } from './options.ts';
import { endAll, hintReturn, keepAlive } from './reply/event-output.ts';
import { ExchangeReply } from './reply/exchange-reply.ts';
import type { Dropped } from './reporting/dropped.ts';
import { closing } from './session/session.ts';
import type { SessionRoom } from './session/session-capacity.ts';

export interface HttpEndpoint {
  /** Judges a request by its headers, asks who sends it, has its body read, then serves it. */
  handle(request: HttpRequest, responder: HttpResponder): void;
  /** Tells of something that went wrong around it. */
  fault(error: Error): void;
  /** Tells of a request that was refused before it got here. */
  turnedAway(status: number): void;
  /** Sessions that live, and streams that are open. */
  readonly counts: () => { readonly sessions: number; readonly streams: number; readonly running: number };
  /** What arrived and was dropped, and readers that were let go, by why. */
  readonly dropped: Readonly<Dropped>;
  /** Room for sessions, of which those of HTTP+SSE beside it take their part. */
  readonly room: SessionRoom;
  /** Lets no more requests in, sends the answers of calls under way, waits for them no longer than given, then ends all streams. */
  close(waitMs?: number): Promise<void>;
}

export function createEndpoint(server: ServerLike, options: HttpOptions = {}): HttpEndpoint {
  const parts = createParts(server, options, { admits: () => phase === 'open', watch, ended: () => drained() });
  const { serving, log, dropped, lone, keeping, exchanges, post, verbs } = parts;
  const { host, sessions } = keeping;
  const lookMs = lookEvery(options);
  const intake = createIntake(options, parts.fault);
  const stopListening = tellChanges(parts);
  let drained = (): void => {};
  let phase: 'open' | 'draining' | 'closed' = 'open';
  let look: Deadline | undefined;
  let closed: Promise<void> | undefined;

  /** Looks after sessions and streams from time to time, as long as there are any. */
  function watch(): void {
    if (look !== undefined || phase === 'closed') return;
    look = serving.deadlines.add(lookMs, () => {
      look = undefined;
      keepAlive(lone);
      sessions.sweep();
      if (lone.open.size > 0 || sessions.size > 0) watch();
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
    if (phase === 'closed') refuse(responder, leaving);
    else intake(request, responder, serve);
  }

  function serve(request: HttpRequest, responder: HttpResponder): void {
    const isPost = request.method === 'POST';
    if (phase === 'closed' || (phase === 'draining' && !isPost)) refuse(responder, leaving);
    else if (isPost) post(request, responder);
    else verbs(request, responder);
  }

  const counts: HttpEndpoint['counts'] = () => ({
    sessions: sessions.size,
    streams: lone.open.size,
    running: lone.running + host.answering,
  });

  async function close(waitMs: number): Promise<void> {
    phase = 'draining';
    log?.draining(counts());
    ExchangeReply.hintListeners(lone);
    exchanges.end();
    await drain(waitMs);
    phase = 'closed';
    stopListening();
    hintReturn(lone);
    ExchangeReply.giveUpAll(lone, closing);
    keeping.close();
    endAll(lone);
    // A process that has nothing else to do does not wait for a last look.
    if (look !== undefined) serving.deadlines.cancel(look);
    log?.closed();
  }

  return {
    handle: log === undefined ? handle : (request, responder) => handle(request, log.following(request, responder)),
    fault: parts.fault,
    turnedAway: (status) => log?.turnedAway(status),
    counts,
    dropped,
    room: parts.room,
    close: (waitMs = 5000) => (closed ??= close(waitMs)),
  };
}

/** Often enough that the record of a session in use is kept well before it would end. */
const lookEvery = ({
  keepAliveMs = defaultSettings.keepAliveMs,
  idleMs = defaultSettings.idleMs,
}: HttpOptions): number => Math.min(keepAliveMs, idleMs / 4);
