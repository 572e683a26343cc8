/** The shortest part of a history that shows a violation: what is about the same thing, and the faults meanwhile. */
import type { HistoryEvent } from './events.ts';
import { describeViolations, type Violation } from './violations.ts';

const names = (event: HistoryEvent): string[] =>
  ['request', 'stream', 'token', 'listener', 'question', 'topic', 'idempotencyKey', 'task']
    .map((name) => (event as unknown as Record<string, unknown>)[name])
    .filter((value): value is string => typeof value === 'string');

const isFault = ({ type }: HistoryEvent): boolean =>
  type === 'node' || type === 'store-fault' || type === 'network-fault';

/** The events with a name of those that show the violation, and all faults between the first and the last of them. */
export function excerptOf(history: readonly HistoryEvent[], { about, events }: Violation): HistoryEvent[] {
  const wanted = new Set([about, ...events.flatMap(names)]);
  const isRelated = (event: HistoryEvent): boolean => names(event).some((name) => wanted.has(name));
  const first = history.findIndex(isRelated);
  const last = history.findLastIndex(isRelated);
  return history.slice(first, last + 1).filter((event) => isFault(event) || isRelated(event));
}

/** A report for people: the violations, and the excerpt of the first of them. */
export function reportOf(history: readonly HistoryEvent[], violations: readonly Violation[]): string {
  const [first] = violations;
  if (first === undefined) return '';
  const lines = excerptOf(history, first).map((event) => `  ${JSON.stringify(event)}`);
  return [describeViolations(violations), `History of ${first.about}:`, ...lines].join('\n');
}
