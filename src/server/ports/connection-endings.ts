/** Which sessions and connections have ended, for what lives as long as one of them. */

/** Gets the key of a session, or of a connection without one. */
export type EndListener = (key: string) => void;

export class ConnectionEndings {
  readonly #listeners = new Set<EndListener>();
  readonly #mounted: readonly ConnectionEndings[];

  /** `mounted`: those of mounted servers, whose connections are the same. */
  constructor(mounted: readonly ConnectionEndings[] = []) {
    this.#mounted = mounted;
  }

  /** Whether anything waits: otherwise no key is needed. */
  get isFollowed(): boolean {
    return this.#listeners.size > 0 || this.#mounted.some((one) => one.isFollowed);
  }

  listen(listener: EndListener): void {
    this.#listeners.add(listener);
  }

  ended(key: string): void {
    for (const listener of this.#listeners) listener(key);
    for (const one of this.#mounted) one.ended(key);
  }
}
