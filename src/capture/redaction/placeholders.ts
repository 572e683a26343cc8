/** Placeholders for secrets: equal secrets get equal ones, so that a capture can still be followed. */
import { indexOf } from '../../lib/text/index-of.ts';
import { encodingsOf } from '../../lib/text/secret-encodings.ts';
import { SoughtSecrets } from './sought-secrets.ts';

/**
 * Secrets that have a placeholder of their own.
 * @limit capture
 * @beyond further ones share one
 */
const maxSecrets = 100_000;

/**
 * Characters of a secret with a placeholder of its own, which is also sought in other texts.
 * @limit capture
 * @beyond longer ones share one placeholder
 */
const maxSecretChars = 16 * 1024;

/**
 * Characters of all such secrets and of their encodings: they stay in memory.
 * @limit capture
 * @beyond further ones share one placeholder
 */
const maxTotalChars = 16 * 1024 * 1024;

/** So many of them are also sought in other encodings, unless they are longer. */
const maxEncoded = 10_000;
const maxEncodedChars = 4096;

/** A shorter one has encodings that harmless texts have too. */
const leastEncodedChars = 12;

const form = /^‹redacted(?::\d+)?›$/u;

const anywhere = /‹redacted(?::\d+)?›/u;

/** Whether a text is the recorded one: a placeholder stands for any text. */
export function matchesText(recorded: string, actual: string): boolean {
  const [first = '', ...parts] = recorded.split(anywhere);
  const last = parts.pop();
  if (last === undefined) return recorded === actual;
  if (!actual.startsWith(first)) return false;
  let at = first.length;
  for (const part of parts) {
    const found = indexOf(actual, part, at);
    if (found === -1) return false;
    at = found + part.length;
  }
  return actual.length - last.length >= at && actual.endsWith(last);
}

export class Placeholders {
  readonly #numbers = new Map<string, number>();
  readonly #sought = new SoughtSecrets();
  /** The secrets of their encodings. */
  readonly #encoded = new Map<string, string>();
  #chars = 0;

  /** The placeholder of a secret; one that is a placeholder already stays. */
  of(secret: string): string {
    if (secret === '' || form.test(secret)) return secret;
    let number = this.#numbers.get(secret);
    if (number === undefined) {
      this.#chars += secret.length;
      if (this.#numbers.size >= maxSecrets || secret.length > maxSecretChars || this.#chars > maxTotalChars) {
        this.#chars -= secret.length;
        return '‹redacted›';
      }
      number = this.#numbers.size + 1;
      this.#numbers.set(secret, number);
      this.#sought.add(secret);
      if (number <= maxEncoded) this.#seekEncoded(secret);
    }
    return `‹redacted:${number}›`;
  }

  /** Replaces known secrets anywhere in a text by their placeholders. */
  without(text: string): string {
    return this.#sought.replace(text, (found) => this.of(this.#encoded.get(found) ?? found));
  }

  #seekEncoded(secret: string): void {
    if (secret.length < leastEncodedChars || secret.length > maxEncodedChars) return;
    for (const text of encodingsOf(secret)) {
      this.#chars += text.length;
      this.#encoded.set(text, secret);
      this.#sought.add(text);
    }
  }
}
