/** Commands, and variables that are sent to a URL, that a person has seen and confirmed. A nonce is for one of them, one tab, and one use. */
import { toBase64Url } from '../../lib/text/base64.ts';
import { canonicalJson } from '../../lib/text/canonical-json.ts';
import { sha256Hex } from '../../lib/text/hex.ts';
import { InspectorError } from '../api-error.ts';

/** What a process is started with. */
export interface Spawn {
  readonly command: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  readonly cwd: string;
}

/** Variables of the environment that a configuration file sends to a URL. */
export interface VariablesSent {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly variables: readonly { readonly variable: string; readonly field: string }[];
  readonly onConfirmed: (() => Promise<void>) | undefined;
}

type Confirmed = Spawn | VariablesSent;

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

  /** The nonce of what is shown in a tab. */
  async show(confirmed: Confirmed, tab: string): Promise<string> {
    const nonce = toBase64Url(crypto.getRandomValues(new Uint8Array(24)));
    this.#shown.set(nonce, { digest: await digestFor(confirmed, tab), until: this.#now() + nonceMs });
    const [oldest = nonce] = this.#shown.keys();
    if (this.#shown.size > maxNonces) this.#shown.delete(oldest);
    return nonce;
  }

  /** Throws `confirmation-needed` unless exactly this was shown in this tab. The nonce is used up either way. */
  async use(nonce: string | undefined, confirmed: Confirmed, tab: string): Promise<void> {
    const shown = nonce === undefined ? undefined : this.#shown.get(nonce);
    if (nonce !== undefined) this.#shown.delete(nonce);
    if (shown !== undefined && shown.until > this.#now() && shown.digest === (await digestFor(confirmed, tab))) return;
    const before =
      'command' in confirmed
        ? 'A command is started only after it was shown in full and confirmed.'
        : 'Variables of the environment are sent only after they were shown and confirmed.';
    throw new InspectorError(
      'confirmation-needed',
      shown === undefined ? before : 'This is not the one that was confirmed, or the confirmation has expired.',
      'Look at it and confirm it.',
    );
  }
}

/** Of a configuration file, which others can write: a digest that can be forged would not do. */
const digestFor = (confirmed: Confirmed, tab: string): Promise<string> => sha256Hex(canonicalJson([confirmed, tab]));
