/** The open streams of HTTP+SSE: each has a slot of the gate. */
import type { Holding } from '../ports/fair-pool.ts';
import { principalRevoked } from '../ports/link.ts';
import type { Gate, SessionHolder } from './admission/gate/gate.ts';
import { type EventSinks, keepAlive } from './reply/event-output.ts';
import type { HttpStats } from './reporting/dropped.ts';
import type { SseStream } from './sse-stream.ts';

/**
 * How long a stream of HTTP+SSE may be open whose client posts nothing.
 * @limit HTTP
 * @beyond the stream closes
 */
const unusedMs = 60_000;

/** The open streams by their keys. Those without a message make room for others, the oldest first. */
export class SseStreams implements SessionHolder {
  readonly #gate: Gate;
  readonly #streams = new Map<string, SseStream>();

  constructor(gate: Gate) {
    this.#gate = gate;
    gate.join(this);
  }

  get size(): number {
    return this.#streams.size;
  }

  /** Calls of all transports wait at one gate. */
  counts(): Pick<HttpStats, 'sessions' | 'activeCalls' | 'waitingCalls'> {
    const activeCalls = [...this.all()].reduce((sum, stream) => sum + stream.activeCalls, 0);
    return { sessions: this.size, activeCalls, waitingCalls: this.#gate.waitingCalls };
  }

  all(): Iterable<SseStream> {
    return this.#streams.values();
  }

  /** The stream of this name, if it is that of the owner. */
  get(key: string, owner: string | undefined): SseStream | undefined {
    const stream = this.#streams.get(key);
    return stream?.caller.owner === owner ? stream : undefined;
  }

  /** Its slot has been taken. */
  add(key: string, stream: SseStream): void {
    this.#streams.set(key, stream);
  }

  remove(key: string, { caller }: SseStream): void {
    if (this.#streams.delete(key)) this.#gate.releaseSession(caller);
  }

  evictUnused(callers: Holding): boolean {
    for (const [key, stream] of this.#streams)
      if (!stream.isUsed && stream.caller.sessions.isWithin(callers)) return this.#evict(key, stream);
    return false;
  }

  /** Ends streams that wait for a first message for too long, and sends comments on those that are silent. */
  upkeep(sinks: EventSinks): void {
    const before = Date.now() - unusedMs;
    for (const [key, stream] of this.#streams) if (!stream.isUsed && stream.opened < before) this.#evict(key, stream);
    keepAlive(sinks);
  }

  revoke(owner: string): void {
    for (const [key, stream] of this.#streams)
      if (stream.caller.owner === owner) this.#evict(key, stream, principalRevoked);
  }

  /** Its slot is free at once, not when the connection has closed. */
  #evict(key: string, stream: SseStream, reason = 'it was not used'): true {
    this.remove(key, stream);
    stream.end(reason);
    return true;
  }
}
