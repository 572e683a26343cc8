/** Fetches a metadata document from the places where it may be, in order. */
import { type GuardedFetch, objectIn, UnreachableError } from '../guarded-fetch.ts';
import type { AuthStep, AuthStepName, Steps } from '../steps.ts';

/** What discovery needs. */
export interface Discovery {
  readonly fetch: GuardedFetch;
  readonly steps: Steps;
  readonly signal: AbortSignal;
}

export interface Place {
  readonly url: string;
  /** The rule of a specification that places it there. */
  readonly rule: string;
}

export interface FoundDocument extends Place {
  readonly status: number;
  readonly document: Record<string, unknown>;
}

/** A document that may be there a moment later is not one that is missing. */
const isTemporary = (status: number): boolean => status === 429 || (status >= 502 && status <= 504);

/** The first JSON object that is there. The others are steps. Rejects where none is, and one of the places cannot be read now. */
export async function firstDocument(
  { fetch, steps, signal }: Discovery,
  step: AuthStepName,
  places: readonly Place[],
): Promise<FoundDocument | undefined> {
  let unread: Omit<AuthStep, 'next'> | undefined;
  for (const { url, rule } of places) {
    const missing = (found: string, mayReturn: boolean, status?: number): void => {
      if (mayReturn) unread ??= { step, url, status, found, rule };
      steps.add({ step, url, status, found, rule, next: 'try the next place' });
    };
    try {
      const response = await fetch(url, { headers: { accept: 'application/json' }, signal });
      const { status } = response;
      const document = status === 200 ? await objectIn(response) : undefined;
      if (document !== undefined) return { url, rule, status, document };
      missing(status === 200 ? 'It is not a JSON object.' : `It answered ${status}.`, isTemporary(status), status);
    } catch (error) {
      if (signal.aborted) throw error;
      missing((error as Error).message, error instanceof UnreachableError);
    }
  }
  if (unread === undefined) return undefined;
  throw steps.failure({ ...unread, hint: 'Check that it can be reached from this machine, and try again.' });
}
