/** Runs each call once, on all nodes that share a store; repeats get the outcome of the one run. */

import type { RpcError } from '../../../jsonrpc/errors.ts';
import type { Deadlines } from '../../../lib/time/deadlines.ts';
import { isPromiseLike } from '../../../lib/values/is.ts';
import { type MaybePromise, startOperation } from '../../../lib/values/maybe-promise.ts';
import type { Done } from '../../../protocol/neutral.ts';
import { memoryOnce } from '../../../store/memory.ts';
import type { OnceRun, OnceState, OnceStore } from '../../../store/once-store.ts';
import type { Store } from '../../../store/store.ts';
import { type HeldLease, HeldLeases, leaseMs } from './held-leases.ts';
import { writeOutcome } from './outcome-text.ts';
import { Unrecorded } from './unrecorded.ts';

export interface SingleRunOptions {
  /** For how long a run is remembered after its end. */
  readonly ttlMs: number;
  /** Limits in memory; a store has its own. One owner may have a quarter. */
  readonly maxKeys: number;
  readonly maxChars: number;
}

export interface SingleRunPorts {
  /** The store of the server, while it is served with one. */
  readonly store: { readonly current: Pick<Store, 'once'> | undefined };
  readonly deadlines: Deadlines;
  /** Receives errors of background operations. */
  failed(error: unknown): void;
}

/** A request for a run: it runs, or gets the outcome of the earlier run. */
export interface RunRequest {
  /** The key of the principal; `''` without one. */
  readonly owner: string;
  /** Whose share it counts for without a principal, if it has to share. */
  readonly share: string | undefined;
  readonly key: string;
  /** Distinguishes requests of the same key: others are refused. */
  readonly digest: string;
  /** Whether the caller no longer waits. */
  readonly isAbandoned: boolean;
  /** This request runs, and ends the run. */
  begin(run: SingleRun): void;
  repeat(earlier: EarlierRun): void;
}

/** Why a request does not run. */
export type EarlierRun =
  /** The text is that of `writeOutcome`, if it is stored. */
  | { readonly kind: 'ended'; readonly text: string | undefined }
  | { readonly kind: 'unavailable'; readonly cause: unknown }
  | { readonly kind: 'other' | 'unknown' | 'full' | 'abandoned' };

/** The one run. It ends with the first call of one of the two; later calls have no effect. */
export interface SingleRun {
  finish(outcome: Done | RpcError): void;
  /** The handler did not run, so the next request runs. Resolves when others can begin. */
  release(): MaybePromise<void>;
}

/**
 * How long a request pauses between two looks at a call that another node runs.
 * @limit server
 * @default 20 ms, doubled up to 1 s
 */
const firstPauseMs = 20;
const longestPauseMs = 1000;

const abandoned: EarlierRun = { kind: 'abandoned' };

/** A run in this process, until its outcome is stored. */
class LocalRun implements HeldLease {
  readonly name: string;
  readonly once: OnceStore;
  readonly owner: string;
  readonly key: string;
  readonly run: OnceRun;
  waiting: RunRequest[];
  /** Until the store has answered, it is not known which digest the key has: requests with other ones wait here. */
  others: RunRequest[] | undefined = [];
  pauseMs = 0;
  /** Set when it has ended here and may not be stored yet. */
  earlier: EarlierRun | undefined = undefined;

  constructor(name: string, once: OnceStore, run: OnceRun, request: RunRequest) {
    this.name = name;
    this.once = once;
    this.owner = request.owner;
    this.key = request.key;
    this.run = run;
    this.waiting = [request];
  }

  renew(leaseMs: number): unknown {
    return this.once.renew(this.owner, this.key, { ...this.run, leaseMs });
  }
}

export class SingleRuns {
  readonly #ttlMs: number;
  readonly #ports: SingleRunPorts;
  readonly #memory: OnceStore;
  readonly #localRuns = new Map<string, LocalRun>();
  readonly #leases: HeldLeases;
  readonly #unrecorded: Unrecorded;
  /** Made with the first run: workers allow no random values at module scope, where a server is created. */
  #node: string | undefined;
  #attempts = 0;

  constructor({ ttlMs, maxKeys, maxChars }: SingleRunOptions, ports: SingleRunPorts) {
    this.#ttlMs = ttlMs;
    this.#ports = ports;
    const perOwner = { maxKeysPerOwner: Math.ceil(maxKeys / 4), maxCharsPerOwner: Math.ceil(maxChars / 4) };
    this.#memory = memoryOnce({ maxKeys, maxChars, ...perOwner }, ports.deadlines.now);
    this.#leases = new HeldLeases(ports.deadlines);
    this.#unrecorded = new Unrecorded(ports.deadlines, (error) => ports.failed(error));
  }

  serve(request: RunRequest): void {
    // The length before the owner separates it from the key, whatever characters both have.
    const name = `${request.owner.length} ${request.owner}${request.key}`;
    const local = this.#localRuns.get(name);
    if (local === undefined) {
      const once = this.#ports.store.current?.once ?? this.#memory;
      return this.#beginOrRepeat(new LocalRun(name, once, this.#runOf(once, request), request));
    }
    const isOther = local.run.digest !== request.digest;
    if (isOther && local.others === undefined) return request.repeat({ kind: 'other' });
    if (local.earlier !== undefined) return request.repeat(local.earlier);
    (isOther ? local.others : local.waiting)?.push(request);
  }

  #runOf(once: OnceStore, { digest, share }: RunRequest): OnceRun {
    // A run in memory ends with this process, so its lease never lapses.
    const lease = once === this.#memory ? Number.POSITIVE_INFINITY : leaseMs;
    this.#node ??= crypto.randomUUID();
    return {
      digest,
      holder: `${this.#node} ${this.#attempts++}`,
      leaseMs: lease,
      ttlMs: this.#ttlMs,
      ...(share !== undefined && { share }),
    };
  }

  /** Begins the run, or gets the outcome of an earlier one. */
  #beginOrRepeat(local: LocalRun): void {
    const { once, owner, key, run } = local;
    const answer = startOperation(() => once.begin(owner, key, run));
    if (!isPromiseLike(answer)) return this.#decide(local, answer);
    this.#localRuns.set(local.name, local);
    answer.then(
      (state) => this.#decide(local, state),
      (cause) => this.#beginFailed(local, cause),
    );
  }

  #decide(local: LocalRun, answer: OnceState): void {
    const { others = [] } = local;
    local.others = undefined;
    this.#follow(local, answer);
    for (const one of others) this.serve(one);
  }

  #follow(local: LocalRun, answer: OnceState): void {
    switch (answer.state) {
      case 'begun':
        return this.#run(local);
      case 'running':
        return this.#waitForOther(local, answer.leaseMs);
      case 'ended':
        return this.#answer(local, { kind: 'ended', text: answer.text });
      default:
        return this.#answer(local, { kind: answer.state });
    }
  }

  #run(local: LocalRun): void {
    const { name, once } = local;
    this.#localRuns.set(name, local);
    this.#dropAbandoned(local);
    const first = local.waiting.shift();
    if (first === undefined) return void this.#release(local);
    if (once !== this.#memory) this.#leases.add(local);
    let isOver = false;
    first.begin({
      finish: (outcome) => {
        if (!isOver) this.#finish(local, outcome);
        isOver = true;
      },
      release: () => {
        if (isOver) return;
        isOver = true;
        return this.#release(local);
      },
    });
  }

  #finish(local: LocalRun, outcome: Done | RpcError): void {
    const { once, owner, key, run } = local;
    const text = writeOutcome(outcome);
    this.#share(local, { kind: 'ended', text });
    void this.#record(local, () => once.end(owner, key, run, text));
  }

  #release(local: LocalRun): MaybePromise<void> {
    const { once, owner, key, run } = local;
    return this.#record(local, () => once.release(owner, key, run));
  }

  /** Stores how the run has ended, then forgets it here. Resolves after the first attempt. */
  #record(local: LocalRun, record: () => MaybePromise<boolean>): MaybePromise<void> {
    const forget = (): void => this.#forget(local);
    const recorded = startOperation(record);
    if (!isPromiseLike(recorded)) return forget();
    return recorded.then(forget, (cause) => {
      this.#ports.failed(cause);
      this.#recordLater(local, record, cause);
    });
  }

  /** Waiting requests start over, each with its own credentials. */
  #forget(local: LocalRun): void {
    this.#localRuns.delete(local.name);
    this.#leases.delete(local);
    for (const one of taken(local)) this.serve(one);
  }

  /** The store may have recorded the begin although it failed. It is released, since the handler did not run. */
  #beginFailed(local: LocalRun, cause: unknown): void {
    const { once, owner, key, run } = local;
    this.#recordLater(local, () => once.release(owner, key, run), cause);
  }

  /** Until it is recorded, repeats get the outcome from this process, or an error if there is none. */
  #recordLater(local: LocalRun, record: () => MaybePromise<boolean>, cause: unknown): void {
    this.#share(local, local.earlier ?? { kind: 'unavailable', cause });
    this.#unrecorded.add(record, () => this.#forget(local), cause);
  }

  /** Answers waiting requests, and those that arrive before the outcome is stored. */
  #share(local: LocalRun, earlier: EarlierRun): void {
    local.earlier = earlier;
    for (const one of [...taken(local), ...(local.others ?? [])]) one.repeat(earlier);
    if (local.others !== undefined) local.others = [];
  }

  /** Another node runs it: reads the store again after a pause, as long as a caller waits. */
  #waitForOther(local: LocalRun, leaseLeftMs: number): void {
    this.#localRuns.set(local.name, local);
    local.pauseMs = Math.min(longestPauseMs, local.pauseMs === 0 ? firstPauseMs : local.pauseMs * 2);
    this.#ports.deadlines.add(Math.min(local.pauseMs, leaseLeftMs + 1), () => {
      this.#dropAbandoned(local);
      if (local.waiting.length > 0) this.#beginOrRepeat(local);
      else this.#localRuns.delete(local.name);
    });
  }

  #dropAbandoned(local: LocalRun): void {
    for (const one of local.waiting) if (one.isAbandoned) one.repeat(abandoned);
    local.waiting = local.waiting.filter((one) => !one.isAbandoned);
  }

  #answer(local: LocalRun, earlier: EarlierRun): void {
    this.#localRuns.delete(local.name);
    for (const one of taken(local)) one.repeat(earlier);
  }
}

function taken(local: LocalRun): readonly RunRequest[] {
  const { waiting } = local;
  local.waiting = [];
  return waiting;
}
