/** Remembers which servers could not be discovered, so that they are not probed each time. */
import type { Deadlines } from '../../../jsonrpc/deadlines.ts';
import { RpcError, TenonError } from '../../../jsonrpc/errors.ts';
import type { Line } from '../connection.ts';
import type { Awaited, OpenLine, Reach } from '../connector.ts';

/** Servers that are remembered; of more, the oldest are forgotten. */
const maxRemembered = 1000;

/** A server may learn to be discovered, so it is asked again after that long. */
const maxAgeMs = 10 * 60_000;

/** The names of servers with which hands are shaken at once, and when each was found to be one. */
export type Verdicts = Map<string, number>;

/**
 * Reaches the server of this name: with the handshake at once where discovery came to nothing before, and with
 * discovery again where the server has learnt it since.
 */
export const remembering = (verdicts: Verdicts, name: string, reach: Reach): Reach =>
  new RememberingReach(verdicts, name, reach);

class RememberingReach implements Reach {
  readonly #verdicts: Verdicts;
  readonly #name: string;
  readonly #reach: Reach;

  constructor(verdicts: Verdicts, name: string, reach: Reach) {
    this.#verdicts = verdicts;
    this.#name = name;
    this.#reach = reach;
  }

  get reconnects(): boolean {
    return this.#reach.reconnects;
  }

  get startsServer(): boolean {
    return this.#reach.startsServer === true;
  }

  get address(): string | undefined {
    return this.#reach.address;
  }

  awaited(): Awaited | undefined {
    return this.#reach.awaited?.();
  }

  async dial(open: OpenLine, signal: AbortSignal, deadlines: Deadlines): Promise<Line> {
    const discovering = async (): Promise<Line> =>
      this.#judged(await this.#reach.dial(open, signal, deadlines), deadlines.now());
    if (!this.#isKnown(deadlines.now())) return discovering();
    const shakingHands: OpenLine = (channel, own) => open(channel, { ...own, handshake: true });
    try {
      return await this.#reach.dial(shakingHands, signal, deadlines);
    } catch (error) {
      // Whatever went wrong, the next attempt finds out anew: no server is out of reach for what it was.
      this.#verdicts.delete(this.#name);
      if (signal.aborted || !refusesHandshake(error)) throw error;
      return discovering();
    }
  }

  #isKnown(now: number): boolean {
    const since = this.#verdicts.get(this.#name);
    return since !== undefined && now - since < maxAgeMs;
  }

  #judged(line: Line, now: number): Line {
    this.#verdicts.delete(this.#name);
    if (line.fellBack) remember(this.#verdicts, this.#name, now);
    return line;
  }
}

function remember(verdicts: Verdicts, name: string, now: number): void {
  if (verdicts.size >= maxRemembered) verdicts.delete(verdicts.keys().next().value as string);
  verdicts.set(name, now);
}

/** A handshake that had no answer is not among them: it has taken all the time there was. */
const refusals: ReadonlySet<string> = new Set([
  'endpoint-missing',
  'http-refused',
  'invalid-result',
  'no-common-revision',
  'server-exited',
  'unexpected-content',
]);

/** Whether a failure may come of the handshake itself, and not of the way to the server. */
const refusesHandshake = (error: unknown): boolean =>
  error instanceof RpcError || (error instanceof TenonError && refusals.has(error.code));
