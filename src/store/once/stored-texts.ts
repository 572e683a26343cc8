/** The texts of runs that have ended, in memory: the oldest are dropped for room. */

export interface TextLimits {
  /** Characters of all texts. */
  readonly maxChars: number;
  /** Characters of the texts of one owner; the owner `''` has no share of its own. */
  readonly maxCharsPerOwner: number;
}

export interface TextHolder {
  readonly owner: string;
  text: string | undefined;
}

/** Texts in the order in which they were added. */
class Texts {
  readonly #holders = new Set<TextHolder>();
  #chars = 0;

  add(holder: TextHolder, text: string): void {
    this.#holders.add(holder);
    this.#chars += text.length;
  }

  /** Returns whether there is none left. */
  delete(holder: TextHolder, text: string): boolean {
    if (this.#holders.delete(holder)) this.#chars -= text.length;
    return this.#holders.size === 0;
  }

  /** The oldest, if there are more characters than `maxChars`. */
  excess(maxChars: number): TextHolder | undefined {
    if (this.#chars <= maxChars) return undefined;
    const [oldest] = this.#holders;
    return oldest;
  }
}

export class StoredTexts {
  readonly #limits: TextLimits;
  readonly #all = new Texts();
  readonly #owned = new Map<string, Texts>();

  constructor(limits: TextLimits) {
    this.#limits = limits;
  }

  /** Stores a text, unless it is longer than all that its owner may have. */
  add(holder: TextHolder, text: string): void {
    const { maxChars, maxCharsPerOwner } = this.#limits;
    const { owner } = holder;
    if (text.length > (owner === '' ? maxChars : Math.min(maxChars, maxCharsPerOwner))) return;
    holder.text = text;
    this.#all.add(holder, text);
    if (owner !== '') this.#addOwned(owner, holder, text, maxCharsPerOwner);
    for (let one = this.#all.excess(maxChars); one !== undefined; one = this.#all.excess(maxChars)) this.drop(one);
  }

  drop(holder: TextHolder): void {
    const { owner, text } = holder;
    if (text === undefined) return;
    holder.text = undefined;
    this.#all.delete(holder, text);
    if (this.#owned.get(owner)?.delete(holder, text)) this.#owned.delete(owner);
  }

  #addOwned(owner: string, holder: TextHolder, text: string, max: number): void {
    const own = this.#owned.get(owner) ?? new Texts();
    this.#owned.set(owner, own);
    own.add(holder, text);
    for (let one = own.excess(max); one !== undefined; one = own.excess(max)) this.drop(one);
  }
}
