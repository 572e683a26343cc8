/** Who tells a session what nobody asked for: this endpoint or another, to the one listener that hears it. */
import { type Soon, soonThen, whenThere } from '../../../store/maybe-promise.ts';
import type { Store } from '../../../store/store.ts';
import type { EventSink } from '../message.ts';
import type { Keeper } from '../reply/event-output.ts';
import { Listeners } from './listeners.ts';
import type { Neighbours, StreamMessage } from './nodes/node-bus.ts';
import { type Claim, fieldsOfClaim, nextClaim, outranks } from './nodes/notifier-claim.ts';
import { keyOf } from './session-ids.ts';
import { storeFailed } from './session-record.ts';
import type { AttachedAt, Stream } from './streams.ts';

/** The name of the stream for what belongs to no call: the same wherever the session is held. */
export const unaskedName = '0';

/** What tellings of one endpoint share. */
export interface TellingHost extends Keeper {
  readonly store: Store;
  /** The endpoints that the store is shared with; absent where it is this endpoint's own. */
  readonly neighbours: Neighbours | undefined;
  readonly maxStreams: number;
}

export class Telling {
  readonly #host: TellingHost;
  readonly #id: string;
  /** The latest claim to tell it of changes, as far as is known here. */
  #claimed: Claim;
  #listeners: Listeners | undefined;

  constructor(host: TellingHost, id: string, claimed: Claim) {
    this.#host = host;
    this.#id = id;
    this.#claimed = claimed;
  }

  // Taken from the id each time: sessions are many, and seldom need it.
  get #key(): string {
    return keyOf(this.#id);
  }

  get claimed(): Claim {
    return this.#claimed;
  }

  /** Whether it is this endpoint that tells. */
  get isHere(): boolean {
    return this.#claimed.node === (this.#host.neighbours?.node ?? '');
  }

  /** From here on this endpoint tells of changes. */
  claim(): void {
    const { neighbours } = this.#host;
    if (this.isHere || neighbours === undefined) return;
    this.#claimed = nextClaim(this.#claimed, neighbours.node);
    this.#keepClaim();
  }

  /** Where to go on for a reader that does not say: after what was given to anybody, as far as is known here. */
  unheard(): Soon<{ readonly last?: number }> {
    const { store, neighbours } = this.#host;
    if (this.isHere || neighbours === undefined) return {};
    return soonThen(store.sessions.read(this.#key), (fields) => ({ last: Number(fields?.given ?? 0) }));
  }

  /** Somebody listens. */
  join(stream: Stream, sink: EventSink, ...place: AttachedAt): void {
    this.#listeners ??= new Listeners(this.#host, this.#host.maxStreams);
    this.#listeners.join(stream, sink, ...place);
  }

  /** A listener has left. Whoever comes next, wherever, is to go on from there. */
  leave(stream: Stream, sink: EventSink): void {
    const { store, neighbours } = this.#host;
    if (this.#listeners?.leave(sink) !== true) return;
    this.#listeners.sendBackAll();
    if (neighbours === undefined || !this.isHere) return;
    const tell = (): void => neighbours.tell(this.#key, { kind: 'left', stream: unaskedName });
    whenThere(() => store.sessions.update(this.#key, { given: String(stream.given) }), tell, failedAt(this.#host));
  }

  /**
   * Hears of the stream from another endpoint. Silent listeners wait here for who has taken it elsewhere, as they do for
   * one here. False where this endpoint yields to nobody.
   */
  hear(message: StreamMessage, stream: Stream | undefined): boolean {
    if (message.kind === 'left') this.#listeners?.sendBackAll();
    if (message.kind !== 'taken') return true;
    const { claim = nextClaim(this.#claimed, '?') } = message;
    if (!outranks(claim, this.#claimed)) {
      // The other yields as well, and may have written its claim over this one.
      if (this.isHere) this.#keepClaim();
      return false;
    }
    this.#claimed = claim;
    if (stream !== undefined) this.#listeners?.silence(stream);
    return true;
  }

  close(): void {
    this.#listeners?.close();
  }

  #keepClaim(): void {
    const { store } = this.#host;
    const kept = (): void => {};
    whenThere(() => store.sessions.update(this.#key, fieldsOfClaim(this.#claimed)), kept, failedAt(this.#host));
  }
}

const failedAt =
  ({ fault }: TellingHost) =>
  (cause: unknown): void =>
    fault(storeFailed(cause));
