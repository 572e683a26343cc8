/** What the checker finds and the product documents as a gap: docs/known-gaps.md has it. */
import { type HistoryEvent, ofType } from '../history/events.ts';
import type { Violation } from '../history/violations.ts';

/** Notifications that could not be stored are missing for a client that was not connected. */
const aboutLostEvents: ReadonlySet<string> = new Set(['event-lost-on-resume', 'stream-event-missing']);

/** The violations without those of streams during which an operation of the store failed. */
export function withoutExcused(violations: readonly Violation[], history: readonly HistoryEvent[]): Violation[] {
  return violations.filter(({ rule, about }) => !aboutLostEvents.has(rule) || !hadStoreFault(about, history));
}

function hadStoreFault(stream: string, history: readonly HistoryEvent[]): boolean {
  const opened = history.findIndex((event) => event.type === 'stream-opened' && event.stream === stream);
  const closed = history.findIndex((event) => event.type === 'stream-closed' && event.stream === stream);
  return ofType(history.slice(opened, closed), 'store-fault').length > 0;
}
