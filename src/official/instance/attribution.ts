/** Finds the call that a message of an instance belongs to. */
import type { CallPlace, CallScope } from '../types.ts';

export interface Attribution<Call> {
  readonly instance: object;
  /** The calls in progress, by the id of their requests. */
  readonly calls: ReadonlyMap<string | number, Call>;
  /** The request that the message names itself. */
  readonly related: string | number | undefined;
  readonly scope: CallScope | undefined;
  /** Whether calls of several clients run in the instance. */
  readonly isShared: boolean;
}

/**
 * By the request that the message names, else by the running code. Without either, the only call in progress: its client
 * is the only one of the instance. A call that has ended gets nothing.
 */
export function attribute<Call>({ instance, calls, related, scope, isShared }: Attribution<Call>): Call | undefined {
  if (related !== undefined) return calls.get(related);
  const place: CallPlace | undefined = scope?.current();
  if (place?.instance === instance) return calls.get(place.id);
  const [only, another] = calls.values();
  return isShared || another !== undefined || place !== undefined ? undefined : only;
}
