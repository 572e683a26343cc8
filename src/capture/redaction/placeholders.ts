/** Placeholders for secrets: equal secrets get equal ones, so that a capture can still be followed. */
import { SoughtSecrets } from './sought-secrets.ts';

/**
 * Secrets that have a placeholder of their own.
 * @limit capture
 * @beyond further ones share one
 */
const maxSecrets = 100_000;

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
    const found = actual.indexOf(part, at);
    if (found === -1) return false;
    at = found + part.length;
  }
  return actual.length - last.length >= at && actual.endsWith(last);
}

export class Placeholders {
  readonly #numbers = new Map<string, number>();
  readonly #sought = new SoughtSecrets();

  /** The placeholder of a secret; one that is a placeholder already stays. */
  of(secret: string): string {
    if (secret === '' || form.test(secret)) return secret;
    let number = this.#numbers.get(secret);
    if (number === undefined) {
      if (this.#numbers.size >= maxSecrets) return '‹redacted›';
      number = this.#numbers.size + 1;
      this.#numbers.set(secret, number);
      this.#sought.add(secret);
    }
    return `‹redacted:${number}›`;
  }

  /** Replaces known secrets anywhere in a text by their placeholders. */
  without(text: string): string {
    return this.#sought.replace(text, (secret) => this.of(secret));
  }
}
