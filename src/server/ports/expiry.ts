/** Ends what a credential has opened, such as a stream, when the credential expires. */
import type { Deadlines } from '../../lib/time/deadlines.ts';
import type { Principal } from '../../ports/principal.ts';

interface Clocks {
  readonly deadlines: Deadlines;
  now(): number;
}

/** Whole seconds, so that streams share their timers: one timer waits for each duration. */
const step = 1000;

const never = (): void => {};

/** Calls `expire` when the credential of a request expires, at most a second late. Returns a function that stops waiting. */
export function atExpiry({ deadlines, now }: Clocks, principal: Principal | undefined, expire: () => void): () => void {
  if (principal?.expiresAt === undefined) return never;
  const ms = Math.max(0, principal.expiresAt - now());
  const deadline = deadlines.add(Math.ceil(ms / step) * step, expire, false);
  return () => deadlines.cancel(deadline);
}
