/** Fetches a metadata document from the places where it may be, in order. */
import { type GuardedFetch, objectIn } from '../guarded-fetch.ts';
import type { AuthStepName, Steps } from '../steps.ts';

/** What discovery needs. */
export interface Discovery {
  readonly fetch: GuardedFetch;
  readonly steps: Steps;
  readonly signal: AbortSignal;
}

export interface Place {
  readonly url: string;
  /** Why it may be there. */
  readonly rule: string;
}

export interface FoundDocument extends Place {
  readonly status: number;
  readonly document: Record<string, unknown>;
}

/** The first JSON object that is there. The others are steps. */
export async function firstDocument(
  { fetch, steps, signal }: Discovery,
  step: AuthStepName,
  places: readonly Place[],
): Promise<FoundDocument | undefined> {
  for (const { url, rule } of places) {
    const missing = (found: string, status?: number): void =>
      steps.add({ step, url, status, found, rule, next: 'try the next place' });
    try {
      const response = await fetch(url, { headers: { accept: 'application/json' }, signal });
      const { status } = response;
      const document = status === 200 ? await objectIn(response) : undefined;
      if (document !== undefined) return { url, rule, status, document };
      missing(status === 200 ? 'It is not a JSON object.' : `It answered ${status}.`, status);
    } catch (error) {
      if (signal.aborted) throw error;
      missing((error as Error).message);
    }
  }
  return undefined;
}
