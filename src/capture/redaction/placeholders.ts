/** Placeholders for secrets: equal secrets get equal ones, so that a capture can still be followed. */

/** Secrets that are distinguished; later ones share a placeholder. */
const maxSecrets = 100_000;

/** A shorter secret would be found in harmless texts as well. */
const leastChars = 8;

/** Secrets that are searched for in other texts, the newest first to be found. */
const maxSought = 500;

const form = /^‹redacted(?::\d+)?›$/u;

export class Placeholders {
  readonly #numbers = new Map<string, number>();
  readonly #sought: string[] = [];

  /** The placeholder of a secret; one that is a placeholder already stays. */
  of(secret: string): string {
    if (secret === '' || form.test(secret)) return secret;
    let number = this.#numbers.get(secret);
    if (number === undefined) {
      if (this.#numbers.size >= maxSecrets) return '‹redacted›';
      number = this.#numbers.size + 1;
      this.#numbers.set(secret, number);
      if (secret.length >= leastChars) this.#seek(secret);
    }
    return `‹redacted:${number}›`;
  }

  /** The text without the secrets that have a placeholder, wherever they stand. */
  without(text: string): string {
    let result = text;
    for (const secret of this.#sought)
      if (result.includes(secret)) result = result.replaceAll(secret, () => this.of(secret));
    return result;
  }

  /** Longer ones first: one secret may be a part of another. */
  #seek(secret: string): void {
    this.#sought.push(secret);
    this.#sought.sort((one, other) => other.length - one.length);
    if (this.#sought.length > maxSought) this.#sought.pop();
  }
}
