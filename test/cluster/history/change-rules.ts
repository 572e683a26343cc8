/** Rules on changes: a listener receives each change made while it listened, or a signal that it may have missed one. */
import type { ChangeMade, HistoryEvent, ListenerOpened } from './events.ts';
import { type Violation, violation } from './violations.ts';

interface Listener {
  readonly opened: ListenerOpened;
  /** Changes that it has to receive yet. */
  waiting: ChangeMade[];
}

/** The history must go on until everything has had time to arrive. */
export function checkChanges(history: readonly HistoryEvent[]): Violation[] {
  const listeners = new Map<string, Listener>();
  /** The latest version that each listener has read: a change that is recorded later may be part of it. */
  const read = new Map<string, number>();
  const madeFor = new Map<string, Set<string | undefined>>();
  const found: Violation[] = [];
  for (const event of history) {
    if (event.type === 'listening') listeners.set(event.listener, { opened: event, waiting: [] });
    if (event.type === 'listener-closed') listeners.delete(event.listener);
    if (event.type === 'change') {
      madeFor.set(event.topic, (madeFor.get(event.topic) ?? new Set()).add(event.principal));
      for (const [name, listener] of listeners)
        if (concerns(listener, event) && (read.get(`${name} ${event.topic}`) ?? 0) < event.version)
          listener.waiting.push(event);
    }
    if (event.type === 'change-received' && event.version !== undefined) {
      const place = `${event.listener} ${event.topic}`;
      read.set(place, Math.max(read.get(place) ?? 0, event.version));
    }
    const listener = 'listener' in event ? listeners.get(event.listener) : undefined;
    if (listener === undefined) continue;
    if (event.type === 'changes-missed') listener.waiting = [];
    if (event.type === 'change-received') {
      const { topic, version = Number.POSITIVE_INFINITY } = event;
      listener.waiting = listener.waiting.filter((made) => made.topic !== topic || made.version > version);
      const { opened } = listener;
      if (!opened.topics.includes(topic))
        found.push(violation('change-not-listened-to', event.listener, opened, event));
      const audience = madeFor.get(topic);
      if (audience !== undefined && !audience.has(undefined) && !audience.has(opened.principal))
        found.push(violation('change-of-another-principal', event.listener, opened, event));
    }
  }
  for (const [name, { opened, waiting }] of listeners)
    for (const made of waiting) found.push(violation('change-lost', name, opened, made));
  return found;
}

const concerns = ({ opened }: Listener, { topic, principal }: ChangeMade): boolean =>
  opened.topics.includes(topic) && (principal === undefined || principal === opened.principal);
