/** Session records on an engine: one row each, in a partition with the logs of the session. */
import { mapped, runInBackground } from '../../lib/values/maybe-promise.ts';
import type { Codec, Path } from '../codec.ts';
import type { StoreDriver } from '../driver.ts';
import type { RecordFields, SessionStore } from '../session-store.ts';
import { anyVersion, lastingMs, rowIn } from './runs.ts';

/** The partition of a session, and the row that its logs belong to. */
export const sessionPartition = (key: string): string => `session:${key}`;
export const sessionRow = 's';

/** Rows that are deleted at a time. */
const sweepCount = 1000;

export function sessionsOn(
  driver: StoreDriver,
  codec: Codec,
  now: () => number,
  onError: (cause: unknown) => void,
): SessionStore {
  const { encoded, decoded } = sessionFields(codec);
  return {
    get epoch() {
      return driver.epoch;
    },
    create: (key, fields, expires) =>
      mapped(
        driver.run(sessionPartition(key), [
          {
            op: 'put',
            key: sessionRow,
            version: anyVersion,
            fields: encoded(key, fields),
            expiresInMs: lastingMs(expires - now()),
          },
        ]),
        () => undefined,
      ),
    read: (key) =>
      mapped(driver.run(sessionPartition(key), [{ op: 'get', key: sessionRow }]), (ran) => {
        const row = ran.failed === undefined ? rowIn(ran.results[0]) : undefined;
        return row && decoded(key, row.fields);
      }),
    update: (key, fields, expires) =>
      mapped(
        driver.run(sessionPartition(key), [
          {
            op: 'put',
            key: sessionRow,
            when: 'present',
            version: anyVersion,
            fields: encoded(key, fields),
            ...(expires !== undefined && { expiresInMs: lastingMs(expires - now()) }),
          },
        ]),
        ({ failed }) => failed === undefined,
      ),
    delete: (key) =>
      mapped(
        driver.run(sessionPartition(key), [
          { op: 'delete', key: sessionRow },
          { op: 'trim', row: sessionRow, steps: 'all' },
        ]),
        (ran) => ran.failed === undefined && ran.results[0] === true,
      ),
    deleteExpired: () => runInBackground(() => sweepAll(driver), onError),
  };
}

/** Until nothing is left: a server without sessions does not sweep again. Others get their turn in between. */
async function sweepAll(driver: StoreDriver): Promise<void> {
  while ((await driver.sweep(sweepCount)) >= sweepCount);
}

/** The fields of records as they are stored, and back. */
function sessionFields(codec: Codec) {
  const pathOf = (key: string, name: string): Path => ['session field', key, name];

  /** Fields have names with URIs in them, so an encrypted value has its name with it. */
  function encoded(key: string, fields: Readonly<Record<string, string | undefined>>): Record<string, string | null> {
    const written: Record<string, string | null> = {};
    for (const name in fields) {
      const hidden = codec.name(pathOf(key, name));
      const value = fields[name];
      const text = codec.hidesNames ? JSON.stringify([name, value]) : value;
      written[hidden] = value === undefined || text === undefined ? null : codec.seal(pathOf(key, hidden), text);
    }
    return written;
  }

  function decoded(key: string, fields: RecordFields): RecordFields {
    const read: Record<string, string> = {};
    for (const hidden in fields) {
      const text = codec.open(pathOf(key, hidden), fields[hidden] as string);
      const [name, value] = codec.hidesNames ? (JSON.parse(text) as [string, string]) : [hidden, text];
      read[name] = value;
    }
    return read;
  }

  return { encoded, decoded };
}
