/** Messages between the processes that share a SQLite file: rows of a table, looked for when another process has written. */

import { runInBackground } from '../lib/values/maybe-promise.ts';
import type { MessageBus } from '../store/message-bus.ts';
import { Subscribers } from '../store/subscribers.ts';
import type { Connection } from './connection.ts';

/** How often a process looks for messages of others. Asking SQLite whether anything changed takes microseconds. */
const lookMs = 50;

/** How long messages stay: a process that looks less often misses some, and knows it. */
const keptMs = 60_000;

/** Messages are in the order of their times: this looks at no more than it deletes. */
const deleteOld =
  'DELETE FROM message WHERE id < coalesce((SELECT id FROM message WHERE at >= ? ORDER BY id LIMIT 1), 9e18)';

/** How many messages are read at once. */
const batch = 1000;

export interface SqliteBusOptions {
  readonly now: () => number;
  /** Called when another process has written, before messages are delivered. */
  readonly onChange: () => void;
  readonly onError: (cause: unknown) => void;
}

export interface SqliteBus extends MessageBus {
  /** Adds a message inside a transaction of a connection: `deliver` follows when it has committed. */
  add(connection: Pick<Connection, 'sql'>, topic: string, message: string): void;
  /** Delivers what was published to the subscribers of this process. */
  deliver(): void;
  close(): void;
}

/** Reads the messages that follow the last one that was delivered here. */
function createReader({ sql }: Pick<Connection, 'sql'>, subscribers: Subscribers) {
  /** The last message that was delivered here, or existed when the first subscription began. */
  let last = 0;

  /** The number of the last message, deleted or not: numbers have no gaps, since those of a failed transaction are used again. */
  const lastId = (): number => Number(sql("SELECT seq FROM sqlite_sequence WHERE name = 'message'").get()?.seq ?? 0);

  /** Messages up to this number were deleted before they were read here. */
  function passOver(id: number): void {
    if (id <= last) return;
    last = id;
    subscribers.missed();
  }

  return {
    /** Delivers those that are published from now on. */
    begin: () => void (last = lastId()),
    deliver(): void {
      const select = 'SELECT id, topic, text FROM message WHERE id > ? ORDER BY id LIMIT ?';
      const end = lastId();
      for (;;) {
        const rows = sql(select).all(last, batch);
        for (const { id, topic, text } of rows) {
          passOver(Number(id) - 1);
          last = Number(id);
          subscribers.deliver(topic as string, text as string);
        }
        if (rows.length < batch) return passOver(end);
      }
    },
  };
}

export function createSqliteBus(connection: Connection, { now, onChange, onError }: SqliteBusOptions): SqliteBus {
  const subscribers = new Subscribers();
  const reader = createReader({ sql: (text) => connection.sql(text) }, subscribers);
  let seenVersion: unknown;
  let sweptAt = now();
  let timer: NodeJS.Timeout | undefined;

  /** Changes when another connection has written to the file. */
  const version = (): unknown => connection.sql('PRAGMA data_version').get()?.data_version;

  function look(): void {
    const current = version();
    if (current === seenVersion) return;
    onChange();
    reader.deliver();
    // Only now: where something failed, the next look tries again.
    seenVersion = current;
  }

  function start(): void {
    if (timer !== undefined) return;
    reader.begin();
    seenVersion = version();
    timer = setInterval(() => runInBackground(() => connection.read(look), onError), lookMs);
    timer.unref();
  }

  function stop(): void {
    clearInterval(timer);
    timer = undefined;
  }

  function add(writer: Pick<Connection, 'sql'>, topic: string, message: string): void {
    const moment = now();
    writer.sql('INSERT INTO message (topic, text, at) VALUES (?, ?, ?)').run(topic, message, moment);
    if (moment - sweptAt < keptMs / 10) return;
    sweptAt = moment;
    writer.sql(deleteOld).run(moment - keptMs);
  }

  function deliver(): void {
    if (timer === undefined) return;
    try {
      reader.deliver();
    } catch (cause) {
      // It is published: the next look delivers it.
      seenVersion = undefined;
      onError(cause);
    }
  }

  return {
    async publish(topic, message) {
      await connection.write(() => add(connection, topic, message));
      deliver();
    },
    add,
    deliver,
    subscribe(topic, onMessage, onMissed) {
      return connection.read(() => {
        start();
        const unsubscribe = subscribers.add(topic, onMessage, onMissed);
        return () => {
          unsubscribe();
          if (subscribers.isEmpty) stop();
        };
      });
    },
    close: stop,
  };
}
