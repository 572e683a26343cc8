/** What has to be done with every connection before anything else runs: once, and again after a failure or a loss. */
export class Preparation {
  readonly #prepare: () => Promise<void>;
  #ready: Promise<void> | undefined;

  constructor(prepare: () => Promise<void>) {
    this.#prepare = prepare;
  }

  /** Resolves once it is done; the next call tries again if it fails. */
  ready(): Promise<void> {
    if (this.#ready !== undefined) return this.#ready;
    const ready = this.#prepare();
    this.#ready = ready;
    ready.catch(() => {
      if (this.#ready === ready) this.#ready = undefined;
    });
    return ready;
  }

  /** The next connection is prepared again: the store may have lost its contents, or have other settings. */
  lost(): void {
    this.#ready = undefined;
  }
}
