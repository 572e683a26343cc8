/** Remembers which servers could not be discovered, so that they are not probed each time. */
import { RpcError, TenonError } from '../jsonrpc/errors.ts';
import type { OpenLine, Reach } from './assembly.ts';
import type { Line } from './line.ts';

/** Servers that are remembered; of more, the oldest are forgotten. */
const maxRemembered = 1000;

/** The names of servers with which hands are shaken at once. */
export type Verdicts = Set<string>;

/**
 * Reaches the server of this name: with the handshake at once where discovery came to nothing before, and with
 * discovery again where the server has learnt it since.
 */
export function remembering(verdicts: Verdicts, name: string, { dial, ...rest }: Reach): Reach {
  const judged = (line: Line): Line => {
    if (line.fellBack) remember(verdicts, name);
    return line;
  };
  return {
    ...rest,
    async dial(open, signal) {
      if (!verdicts.has(name)) return judged(await dial(open, signal));
      const shakingHands: OpenLine = (channel, own) => open(channel, { ...own, handshake: true });
      try {
        return await dial(shakingHands, signal);
      } catch (error) {
        if (!refusesHandshake(error)) throw error;
        verdicts.delete(name);
        return judged(await dial(open, signal));
      }
    },
  };
}

function remember(verdicts: Verdicts, name: string): void {
  if (verdicts.size >= maxRemembered) verdicts.delete(verdicts.values().next().value as string);
  verdicts.add(name);
}

/** Whether a failure may come of the handshake itself, and not of the way to the server. */
const refusesHandshake = (error: unknown): boolean =>
  error instanceof RpcError ||
  (error instanceof TenonError && ['no-common-revision', 'invalid-result', 'http-refused'].includes(error.code));
