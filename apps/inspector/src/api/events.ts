/** Follows the events of the backend. Connects again after a lost connection, and resumes after the last event. */
import type { InspectorEvent } from '../../../../src/inspector/api.ts';
import { errorOf, isLocked } from './call.ts';
import { port } from './port.ts';

/** `lost` while the backend does not answer, `locked` when it does not know the key any more. */
export type Link = 'live' | 'lost' | 'locked';

export interface Follower {
  readonly after: number;
  onEvents(events: readonly InspectorEvent[]): void;
  onLink(link: Link): void;
}

const firstDelayMs = 500;
const longestDelayMs = 5000;

/** Runs until the key is not valid any more, or the signal is aborted. */
export async function followEvents(follower: Follower, signal: AbortSignal): Promise<void> {
  let after = follower.after;
  let delayMs = firstDelayMs;
  while (!signal.aborted) {
    try {
      for await (const events of port().events(after, signal, () => follower.onLink('live'))) {
        delayMs = firstDelayMs;
        after = events.at(-1)?.seq ?? after;
        follower.onEvents(events);
      }
    } catch (error) {
      if (signal.aborted) return;
      if (isLocked(errorOf(error))) return follower.onLink('locked');
    }
    if (signal.aborted) return;
    follower.onLink('lost');
    await new Promise((resolve) => setTimeout(resolve, delayMs));
    delayMs = Math.min(delayMs * 2, longestDelayMs);
  }
}
