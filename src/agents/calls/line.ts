/** Calls get in line in the order in which the model made them, however long it takes to check each. */

/** The place of one call. */
export interface PlaceInLine {
  /** Resolves when all calls before are in the order of their server, or have ended. */
  readonly ready: Promise<unknown>;
  /** The call is in the order of its server, or has ended. */
  leave(): void;
}

export function createLine(): { join(): PlaceInLine } {
  let last: Promise<unknown> = Promise.resolve();
  return {
    join() {
      const ready = last;
      let leave = (): void => {};
      const left = new Promise<void>((resolve) => (leave = resolve));
      last = Promise.all([ready, left]);
      return { ready, leave };
    },
  };
}
