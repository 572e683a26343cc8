/** Commands that a person has seen in full and confirmed. A nonce is for one command, one tab, and one use. */
import { randomBytes } from 'node:crypto';
import { digestOf } from '../../lib/text/canonical-json.ts';
import { InspectorError } from '../api-error.ts';

/** What a process is started with. */
export interface Spawn {
  readonly command: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  readonly cwd: string;
}

/**
 * How long a person may read a command before confirming it.
 * @limit inspector
 * @beyond the command is shown again
 * @code confirmation-needed
 */
const nonceMs = 5 * 60_000;

/**
 * Commands that wait for confirmation.
 * @limit inspector
 * @beyond the oldest are forgotten, and shown again
 * @code confirmation-needed
 */
const maxNonces = 100;

export class Confirmations {
  readonly #shown = new Map<string, { readonly digest: string; readonly until: number }>();
  readonly #now: () => number;

  constructor(now: () => number) {
    this.#now = now;
  }

  /** The nonce of a command that is shown in a tab. */
  show(spawn: Spawn, tab: string): string {
    const nonce = randomBytes(24).toString('base64url');
    this.#shown.set(nonce, { digest: digestFor(spawn, tab), until: this.#now() + nonceMs });
    const [oldest = nonce] = this.#shown.keys();
    if (this.#shown.size > maxNonces) this.#shown.delete(oldest);
    return nonce;
  }

  /** Throws `confirmation-needed` unless exactly this command was shown in this tab. The nonce is used up either way. */
  use(nonce: string | undefined, spawn: Spawn, tab: string): void {
    const shown = nonce === undefined ? undefined : this.#shown.get(nonce);
    if (nonce !== undefined) this.#shown.delete(nonce);
    if (shown !== undefined && shown.until > this.#now() && shown.digest === digestFor(spawn, tab)) return;
    throw new InspectorError(
      'confirmation-needed',
      shown === undefined
        ? 'A command is started only after it was shown in full and confirmed.'
        : 'The command is not the one that was confirmed, or the confirmation has expired.',
      'Look at the command and confirm it.',
    );
  }
}

const digestFor = ({ command, args, env, cwd }: Spawn, tab: string): string => digestOf([command, args, env, cwd, tab]);
