/** What the test and its processes send each other. A process waits for the confirmation of each of its reports. */
import type { StoreAddress } from '../../../kit/stores/open-at.ts';
import type { TaskEvent } from '../history/events.ts';

export type Role = 'server' | 'worker' | 'client';
/** A client that sends raw messages, or that of the product. */
export type ClientKind = 'raw' | 'tenon';
export type Wire = '2025-11-25' | 'extension';

/** What happens to a process, or to the store, at a boundary. */
export interface Fault {
  /** The name of the boundary, such as `before step s3`. */
  readonly at: string;
  readonly does: 'kill' | 'pause' | 'kill-store' | 'lose-reply';
}

/** A fault of the store that the checker must find. */
export type Planted =
  | 'no-fencing'
  | 'journal-write-skipped'
  | 'result-written-twice'
  | 'answer-dropped'
  | 'journal-read-empty'
  | 'key-ignored';

/** How a process begins its part. */
export interface Part {
  readonly role: Role;
  /** Its name in the history, such as `worker-1`. */
  readonly process: string;
  readonly store: StoreAddress;
  /** Where the client finds the server. */
  readonly url: string;
  readonly wire: Wire;
  readonly client: ClientKind;
  /** The file in which Tenon's client remembers its tasks. */
  readonly memory: string;
  readonly tool: 'keyed' | 'unkeyed';
  /** How long a worker holds a task without a beat. */
  readonly leaseMs: number;
  readonly fault: Fault | undefined;
  readonly planted: Planted | undefined;
}

/** A boundary that a process passes: what a clean run records becomes the faults of other runs. */
export interface BoundaryPassed {
  readonly type: 'boundary';
  readonly process: string;
  readonly name: string;
}

/** The ledger adds whether the effect is the first of its key. */
export interface EffectRequested {
  readonly type: 'effect';
  readonly process: string;
  readonly step: string;
  readonly key: string;
}

export type Report = Exclude<TaskEvent, { readonly type: 'effect' }> | EffectRequested | BoundaryPassed;

export type ToProcess =
  | { readonly is: 'begin'; readonly part: Part }
  | { readonly is: 'confirmed'; readonly number: number; readonly value?: string }
  /** Reports what the store has of a task. */
  | { readonly is: 'look'; readonly task: string }
  /** Ends its part, so that the process can get another one. */
  | { readonly is: 'end' };

export type FromProcess =
  | { readonly is: 'report'; readonly number: number; readonly report: Report }
  | { readonly is: 'begun'; readonly port: number }
  | { readonly is: 'looked' }
  /** The client has its result. */
  | { readonly is: 'followed' }
  | { readonly is: 'ended' };
