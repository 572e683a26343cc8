/** Remembers which servers could not be discovered, so that they are not probed each time. */
import type { Deadlines } from '../jsonrpc/deadlines.ts';
import { RpcError, TenonError } from '../jsonrpc/errors.ts';
import type { OpenLine, Reach } from './assembly.ts';
import type { Awaited } from './life/waiting.ts';
import type { Line } from './line.ts';

/** Servers that are remembered; of more, the oldest are forgotten. */
const maxRemembered = 1000;

/** The names of servers with which hands are shaken at once. */
export type Verdicts = Set<string>;

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
    if (!this.#verdicts.has(this.#name)) return this.#judged(await this.#reach.dial(open, signal, deadlines));
    const shakingHands: OpenLine = (channel, own) => open(channel, { ...own, handshake: true });
    try {
      return await this.#reach.dial(shakingHands, signal, deadlines);
    } catch (error) {
      if (!refusesHandshake(error)) throw error;
      this.#verdicts.delete(this.#name);
      return this.#judged(await this.#reach.dial(open, signal, deadlines));
    }
  }

  #judged(line: Line): Line {
    if (line.fellBack) remember(this.#verdicts, this.#name);
    return line;
  }
}

function remember(verdicts: Verdicts, name: string): void {
  if (verdicts.size >= maxRemembered) verdicts.delete(verdicts.values().next().value as string);
  verdicts.add(name);
}

/** Whether a failure may come of the handshake itself, and not of the way to the server. */
const refusesHandshake = (error: unknown): boolean =>
  error instanceof RpcError ||
  (error instanceof TenonError && ['no-common-revision', 'invalid-result', 'http-refused'].includes(error.code));
