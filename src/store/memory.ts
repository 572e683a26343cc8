/** A store in the memory of this process. */

import type { ConsentStore } from './consents/consent-store.ts';
import { memoryConsents } from './consents/stored-consents.ts';
import type { CredentialStore } from './credentials/credential-store.ts';
import { memoryCredentials } from './credentials/memory.ts';
import { createMemoryEvents } from './events/memory-events.ts';
import type { LimitStore } from './limits/limit-store.ts';
import { createMemoryLimits } from './limits/memory-limits.ts';
import { createMemoryNodes } from './nodes/memory-nodes.ts';
import type { MessageBus } from './nodes/message-bus.ts';
import type { NodeStore } from './nodes/node-store.ts';
import { Subscribers } from './nodes/subscribers.ts';
import { createMemoryOnce } from './once/memory-once.ts';
import type { OnceStore } from './once/once-store.ts';
import type { RecordFields, SessionStore } from './session-store.ts';
import type { Store } from './store.ts';
import { createMemoryTasks } from './tasks/memory-tasks.ts';
import type { TaskStore } from './tasks/task-store.ts';

/** The options of `createMemoryStore()`. */
export interface MemoryStoreOptions {
  /** The clock by which records expire, in milliseconds since the Unix epoch. Default `Date.now`. */
  readonly now?: () => number;
}

/** A store in the memory of this process. */
export interface MemoryStore extends Store {
  readonly name: 'memory';
  readonly durability: 'memory';
  /** Keys that may be used once. */
  readonly once: OnceStore;
  /** Rates and slots. */
  readonly limits: LimitStore;
  /** Answers of users. */
  readonly consents: ConsentStore;
  /** Tokens of clients. */
  readonly credentials: CredentialStore;
  /** Which nodes live. */
  readonly nodes: NodeStore;
  /** Tasks and their journals. */
  readonly tasks: TaskStore;
  /** Deletes everything, as if the store had lost its contents. For tests. */
  clear(): void;
}

interface StoredRecord {
  fields: Record<string, string>;
  expires: number;
}

/** Creates a store in memory. Endpoints of one process that share it serve the same sessions: `serveHttp(server, { store })`. */
export function createMemoryStore({ now = () => Date.now() }: MemoryStoreOptions = {}): MemoryStore {
  const records = new Map<string, StoredRecord>();
  const events = createMemoryEvents(now);
  const once = createMemoryOnce({ now });
  const limits = createMemoryLimits({ now });
  let consents = memoryConsents();
  let credentials = memoryCredentials();
  const nodes = createMemoryNodes(now);
  const tasks = createMemoryTasks(now);
  let epoch = newEpoch();

  function deleteRecord(key: string): boolean {
    events.deleteSession(key);
    return records.delete(key);
  }

  const sessions: SessionStore = {
    get epoch() {
      return epoch;
    },
    create(key, fields, expires) {
      records.set(key, { fields: { ...fields }, expires });
    },
    read(key): RecordFields | undefined {
      const record = records.get(key);
      return record !== undefined && record.expires > now() ? { ...record.fields } : undefined;
    },
    update(key, fields, expires) {
      const record = records.get(key);
      if (record === undefined || record.expires <= now()) return false;
      for (const [name, value] of Object.entries(fields)) {
        if (value === undefined) delete record.fields[name];
        else record.fields[name] = value;
      }
      if (expires !== undefined) record.expires = expires;
      return true;
    },
    delete: deleteRecord,
    deleteExpired() {
      const moment = now();
      for (const [key, { expires }] of records) if (expires <= moment) deleteRecord(key);
      events.deleteExpired();
    },
  };

  return {
    name: 'memory',
    durability: 'memory',
    sessions,
    events,
    bus: createMemoryBus(),
    once,
    nodes,
    limits,
    get consents() {
      return consents;
    },
    get credentials() {
      return credentials;
    },
    tasks,
    clear() {
      nodes.clear();
      limits.clear();
      consents = memoryConsents();
      credentials = memoryCredentials();
      once.clear();
      tasks.clear();
      for (const key of records.keys()) deleteRecord(key);
      epoch = newEpoch();
    },
  };
}

const newEpoch = (): string => crypto.randomUUID();

function createMemoryBus(): MessageBus {
  const subscribers = new Subscribers();
  return {
    publish: (topic, message) => subscribers.deliver(topic, message),
    // Nothing is lost between subscribers of one process.
    subscribe: (topic, onMessage, onMissed) => subscribers.add(topic, onMessage, onMissed),
  };
}
