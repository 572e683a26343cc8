/** Finds known secrets inside texts: all of them in one pass, however many there are. */

/** A shorter secret would be found in harmless texts as well. */
const leastChars = 8;

/** A secret is looked for by its beginning of one of these lengths, the longest that it has, so that a text costs little that begins like many. */
const levels = [leastChars, 32, 128, 512, 2048] as const;

/**
 * Lengths of secrets that begin alike, in 32, 128, 512 or 2048 characters: each is tried where a text begins so.
 * @limit capture
 * @beyond further ones are replaced in their own fields only
 */
const maxLengths = 32;

/** Beginnings of secrets are marked in a table of this many places. */
const places = 2 ** 17;

export class SoughtSecrets {
  readonly #known = new Set<string>();
  /** How long secrets are, by their beginnings, the longest first: one may be the beginning of another. */
  readonly #lengths = new Map<string, readonly number[]>();
  /** Marks positions where a secret may begin: most positions of a text are ruled out by one lookup. */
  #marks = new Uint8Array(0);

  add(secret: string): void {
    if (secret.length < leastChars) return;
    if (this.#marks.length === 0) this.#marks = new Uint8Array(places);
    this.#marks[placeOf(secret, 0)] = 1;
    let start = '';
    let lengths: readonly number[] = [];
    for (const level of levels) {
      if (level > secret.length) break;
      start = secret.slice(0, level);
      lengths = this.#lengths.get(start) ?? [];
      if (lengths.length === 0) this.#lengths.set(start, lengths);
    }
    // Many tokens begin alike, and few lengths are different.
    const isTried = lengths.includes(secret.length);
    if (!isTried && lengths.length >= maxLengths) return;
    this.#known.add(secret);
    if (isTried) return;
    this.#lengths.set(
      start,
      [...lengths, secret.length].sort((one, other) => other - one),
    );
  }

  /** The text with each secret replaced. */
  replace(text: string, shown: (secret: string) => string): string {
    if (this.#known.size === 0) return text;
    let result = '';
    let copied = 0;
    for (let at = 0; at <= text.length - leastChars; at++) {
      if (this.#marks[placeOf(text, at)] === 0) continue;
      const secret = this.#at(text, at);
      if (secret === undefined) continue;
      result += text.slice(copied, at) + shown(secret);
      copied = at + secret.length;
      at = copied - 1;
    }
    return copied === 0 ? text : result + text.slice(copied);
  }

  /** The longest secret at a position. */
  #at(text: string, at: number): string | undefined {
    const found: (readonly number[])[] = [];
    for (const level of levels) {
      const lengths = this.#lengths.get(text.slice(at, at + level));
      if (lengths === undefined) break;
      found.push(lengths);
    }
    for (const lengths of found.reverse())
      for (const length of lengths) {
        const secret = text.slice(at, at + length);
        if (this.#known.has(secret)) return secret;
      }
    return undefined;
  }
}

/** A hash of four of the first characters. */
const placeOf = (text: string, at: number): number =>
  (text.charCodeAt(at) ^
    (text.charCodeAt(at + 2) << 4) ^
    (text.charCodeAt(at + 5) << 7) ^
    (text.charCodeAt(at + 7) << 10)) &
  (places - 1);
