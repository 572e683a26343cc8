/** Loads what asking takes with the first question: most servers never ask one, and start sooner without it. */
import type * as parts from './parts.ts';

type AskingParts = typeof parts;

let loaded: AskingParts | undefined;
let loading: Promise<AskingParts> | undefined;

/** At once where it is loaded already. All who come before that go on in one turn, so that they still ask side by side. */
export function loadAsking(): AskingParts | Promise<AskingParts> {
  if (loaded !== undefined) return loaded;
  loading ??= import('./parts.ts').then(
    (whole) => {
      loaded = whole;
      return whole;
    },
    (error) => {
      // The next question tries again.
      loading = undefined;
      throw error;
    },
  );
  return loading;
}

/** For code that only a question leads to. */
export const askingParts = (): AskingParts => loaded as AskingParts;
