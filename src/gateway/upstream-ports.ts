/** What an upstream of a gateway is made of, and what it needs of the gateway. */
import type { ClientTelemetry } from '../client/api/telemetry-port.ts';
import type { ForwardedCall } from '../forwarding/forwarded-call.ts';
import type { ParkedCalls } from '../forwarding/parked-calls.ts';
import type { TenonError } from '../lib/errors/tenon-error.ts';
import type { Deadlines } from '../lib/time/deadlines.ts';
import type { Lock } from '../ports/lock.ts';
import type { Implementation } from '../protocol/generated/types/records.ts';
import type { HeldRound } from './calls/held-round.ts';
import type { RequiredAccounts } from './calls/required-accounts.ts';
import type { Naming } from './catalogue/naming.ts';
import type { ConnectionRoom } from './connections/room.ts';
import type { OtherNodes } from './nodes/other-nodes.ts';
import type { UpstreamOptions } from './types.ts';

export interface UpstreamPorts {
  readonly deadlines: Deadlines;
  /** Set by tests, for the clients of upstreams too. */
  readonly testDeadlines: Deadlines | undefined;
  readonly clientInfo: Implementation;
  /** How long a caller may continue a call. */
  readonly ttlMs: number;
  readonly room: ConnectionRoom;
  /** What was approved; absent if everything is. */
  readonly lock: Lock | undefined;
  /** Traces every request. */
  readonly telemetry: ClientTelemetry | undefined;
  readonly required: RequiredAccounts;
  readonly others: OtherNodes;
  dropped(method: string, reason: string): void;
  warn(error: TenonError): void;
}

export interface UpstreamEntry {
  readonly name: string;
  readonly options: UpstreamOptions;
  readonly naming: Naming;
  /** Rises with every change of its options. */
  readonly generation: number;
  /** Whether there is no other. */
  readonly isOnly: boolean;
  /** The calls that wait for their callers, of all generations. */
  readonly parked: ParkedCalls<ForwardedCall>;
  /** Processes that have asked a caller, and get its answers. */
  readonly held: ParkedCalls<HeldRound>;
}
