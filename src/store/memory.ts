/** A store in the memory of this process: it costs next to nothing, and ends with the process. */

import { createMemoryEvents } from './memory-events.ts';
import type { Bus } from './message-bus.ts';
import type { RecordFields, SessionRecords } from './session-store.ts';
import type { Store } from './store.ts';

export interface MemoryStoreOptions {
  /** The clock by which records expire. */
  readonly now?: () => number;
}

export interface MemoryStore extends Store {
  /** Forgets everything, as the loss of a store does. */
  clear(): void;
}

interface Kept {
  fields: Record<string, string>;
  expires: number;
}

/** Pass one to several endpoints of a process to have them serve the same sessions. */
export function memoryStore({ now = () => Date.now() }: MemoryStoreOptions = {}): MemoryStore {
  const records = new Map<string, Kept>();
  const events = createMemoryEvents(now);
  let epoch = newEpoch();

  function forget(key: string): boolean {
    events.drop(key);
    return records.delete(key);
  }

  const sessions: SessionRecords = {
    get epoch() {
      return epoch;
    },
    create(key, fields, expires) {
      records.set(key, { fields: { ...fields }, expires });
    },
    read(key): RecordFields | undefined {
      const kept = records.get(key);
      return kept !== undefined && kept.expires > now() ? { ...kept.fields } : undefined;
    },
    update(key, fields, expires) {
      const kept = records.get(key);
      if (kept === undefined) return false;
      for (const [name, value] of Object.entries(fields)) {
        if (value === undefined) delete kept.fields[name];
        else kept.fields[name] = value;
      }
      if (expires !== undefined) kept.expires = expires;
      return true;
    },
    revoke: forget,
    sweep() {
      const moment = now();
      for (const [key, { expires }] of records) if (expires <= moment) forget(key);
      events.sweep();
    },
  };

  return {
    sessions,
    events,
    bus: createMemoryBus(),
    clear() {
      for (const key of records.keys()) forget(key);
      epoch = newEpoch();
    },
  };
}

const newEpoch = (): string => crypto.randomUUID();

function createMemoryBus(): Bus {
  const topics = new Map<string, Set<(message: string) => void>>();

  /** A listener that fails keeps the others from nothing; its failure is nobody's answer, so the runtime tells of it. */
  function tell(hear: (message: string) => void, topic: string, message: string): void {
    queueMicrotask(() => {
      if (topics.get(topic)?.has(hear)) hear(message);
    });
  }

  return {
    publish(topic, message) {
      for (const hear of topics.get(topic) ?? []) tell(hear, topic, message);
    },
    subscribe(topic, hear) {
      const hearers = topics.get(topic) ?? new Set();
      topics.set(topic, hearers);
      // Two subscriptions of one function are two.
      const own = (message: string): void => hear(message);
      hearers.add(own);
      return () => {
        hearers.delete(own);
        if (hearers.size === 0 && topics.get(topic) === hearers) topics.delete(topic);
      };
    },
  };
}
