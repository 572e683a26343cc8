/** Rules on streams: complete and in order, or closed by a named error; resuming neither repeats nor leaves out events. */
import { groupBy, type HistoryEvent, type StreamEventReceived } from './events.ts';
import { isNamed } from './request-rules.ts';
import { type Violation, violation } from './violations.ts';

type StreamEvent = Extract<HistoryEvent, { readonly stream: string }>;

export function checkStreams(history: readonly HistoryEvent[]): Violation[] {
  const events = history.filter((event): event is StreamEvent => 'stream' in event);
  return [...groupBy(events, ({ stream }) => stream)].flatMap(([name, own]) => checkStream(name, own));
}

function checkStream(name: string, events: readonly StreamEvent[]): Violation[] {
  const found: Violation[] = [];
  const reading: Reading = { last: undefined, seen: new Set(), isResumed: false };
  let principal: string | undefined;
  let closed: StreamEvent | undefined;
  for (const event of events) {
    if (event.type === 'stream-opened') ({ principal } = event);
    if (event.type === 'stream-resumed') reading.isResumed = true;
    if (event.type === 'stream-event') {
      if (closed !== undefined) found.push(violation('event-after-close', name, closed, event));
      if (event.owner !== principal) found.push(violation('event-of-another-principal', name, event));
      found.push(...checkNext(name, reading, event));
    }
    if (event.type !== 'stream-closed') continue;
    closed = event;
    if (event.count === undefined && !isNamed(event.code ?? ''))
      found.push(violation('stream-ended-silently', name, ...lastOf(reading), event));
    if (event.count !== undefined) found.push(...checkCount(name, reading, event.count, event));
  }
  if (closed === undefined) found.push(violation('stream-ended-silently', name, ...events.slice(-2)));
  return found;
}

interface Reading {
  last: StreamEventReceived | undefined;
  readonly seen: Set<number>;
  /** Whether the stream was resumed since the last event. */
  isResumed: boolean;
}

const lastOf = ({ last }: Reading): StreamEventReceived[] => (last === undefined ? [] : [last]);

function checkNext(name: string, reading: Reading, event: StreamEventReceived): Violation[] {
  const { last, seen, isResumed } = reading;
  const expected = (last?.n ?? 0) + 1;
  const report = (rule: Violation['rule']): Violation[] => [violation(rule, name, ...lastOf(reading), event)];
  const wasSeen = seen.has(event.n);
  seen.add(event.n);
  if (event.n >= expected) {
    reading.last = event;
    reading.isResumed = false;
  }
  if (wasSeen) return report(isResumed ? 'event-repeated-on-resume' : 'stream-event-repeated');
  if (event.n < expected) return report('stream-event-out-of-order');
  if (event.n > expected) return report(isResumed ? 'event-lost-on-resume' : 'stream-event-missing');
  return [];
}

function checkCount(name: string, reading: Reading, count: number, closed: StreamEvent): Violation[] {
  if ((reading.last?.n ?? 0) >= count) return [];
  const rule = reading.isResumed ? 'event-lost-on-resume' : 'stream-event-missing';
  return [violation(rule, name, ...lastOf(reading), closed)];
}
