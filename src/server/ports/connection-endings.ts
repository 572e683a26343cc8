/** Which sessions and connections have ended, for what lives as long as one of them. */

/** Gets the key of a session, or of a connection without one. */
export type EndListener = (key: string) => void;

export class ConnectionEndings {
  readonly #listeners = new Set<EndListener>();

  /** Whether anything waits: otherwise no key is needed. */
  get isFollowed(): boolean {
    return this.#listeners.size > 0;
  }

  listen(listener: EndListener): void {
    this.#listeners.add(listener);
  }

  ended(key: string): void {
    for (const listener of this.#listeners) listener(key);
  }
}
