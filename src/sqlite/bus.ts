/** Messages between the processes that share a SQLite file: rows of a table, looked for when another process has written. */
import { runInBackground } from '../store/maybe-promise.ts';
import type { MessageBus } from '../store/message-bus.ts';
import type { Connection } from './connection.ts';

/** How often a process looks for messages of others. Asking SQLite whether anything changed takes microseconds. */
const lookMs = 50;

/** How long messages stay: a process that looks less often misses some. */
const keptMs = 60_000;

/** How many messages are read at once. */
const batch = 1000;

export interface SqliteBusOptions {
  readonly now: () => number;
  /** Called when another process has written, before messages are delivered. */
  readonly onChange: () => void;
  readonly onError: (cause: unknown) => void;
}

export interface SqliteBus extends MessageBus {
  close(): void;
}

type Listener = (message: string) => void;

export function createSqliteBus(connection: Connection, { now, onChange, onError }: SqliteBusOptions): SqliteBus {
  const topics = new Map<string, Set<Listener>>();
  /** The last message that was delivered here, or existed when the first subscription began. */
  let last = 0;
  let seenVersion: unknown;
  let sweptAt = now();
  let timer: NodeJS.Timeout | undefined;

  const lastId = (): number => Number(connection.sql('SELECT max(id) AS id FROM message').get()?.id ?? 0);
  /** Changes when another connection has written to the file. */
  const version = (): unknown => connection.sql('PRAGMA data_version').get()?.data_version;

  function deliver(): void {
    const select = 'SELECT id, topic, text FROM message WHERE id > ? ORDER BY id LIMIT ?';
    for (;;) {
      const rows = connection.sql(select).all(last, batch);
      for (const { id, topic, text } of rows) {
        last = Number(id);
        for (const listener of topics.get(topic as string) ?? [])
          queueMicrotask(() => send(topic as string, listener, text as string));
      }
      if (rows.length < batch) return;
    }
  }

  /** In a microtask of its own: a listener that throws affects no other, and the runtime reports it. */
  function send(topic: string, listener: Listener, text: string): void {
    if (topics.get(topic)?.has(listener)) listener(text);
  }

  function look(): void {
    const current = version();
    if (current === seenVersion) return;
    seenVersion = current;
    onChange();
    deliver();
  }

  function start(): void {
    if (timer !== undefined) return;
    last = lastId();
    seenVersion = version();
    timer = setInterval(() => runInBackground(() => connection.read(look), onError), lookMs);
    timer.unref();
  }

  function stop(): void {
    clearInterval(timer);
    timer = undefined;
  }

  function publish(topic: string, message: string): void {
    const moment = now();
    connection.sql('INSERT INTO message (topic, text, at) VALUES (?, ?, ?)').run(topic, message, moment);
    if (moment - sweptAt < keptMs / 10) return;
    sweptAt = moment;
    connection.sql('DELETE FROM message WHERE at < ?').run(moment - keptMs);
  }

  return {
    async publish(topic, message) {
      await connection.write(() => publish(topic, message));
      if (timer !== undefined) deliver();
    },
    subscribe(topic, onMessage) {
      return connection.read(() => {
        start();
        const listeners = topics.get(topic) ?? new Set();
        topics.set(topic, listeners);
        // A closure of its own: one function may subscribe twice.
        const own: Listener = (message) => onMessage(message);
        listeners.add(own);
        return () => {
          listeners.delete(own);
          if (listeners.size === 0 && topics.get(topic) === listeners) topics.delete(topic);
          if (topics.size === 0) stop();
        };
      });
    },
    close: stop,
  };
}
