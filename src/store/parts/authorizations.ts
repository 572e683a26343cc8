/** What an authorization server remembers, on an engine: a row each, in a partition for each kind, under the digest of its ID. */
import { TenonError } from '../../lib/errors/tenon-error.ts';
import { sha256Hex } from '../../lib/text/hex.ts';
import type { AuthorizationRow, AuthorizationStore } from '../authorization-store.ts';
import type { Codec } from '../codec.ts';
import type { Op, Ran, StoreDriver, When } from '../driver.ts';
import { anyVersion, atMost, lastingMs, rowIn } from './runs.ts';

export function authorizationsOn(driver: StoreDriver, codec: Codec, maxRows: number): AuthorizationStore {
  const partitionOf = (kind: string): string => `authorization:${kind}`;
  /** An ID may be a token: only its digest is stored, also where names are not hidden. */
  const keyOf = async (kind: string, type: 'row' | 'alias', id: string): Promise<string> =>
    `${type}:${codec.name(['authorization', kind, type, await sha256Hex(id)])}`;

  async function readKey(kind: string, key: string): Promise<AuthorizationRow | undefined> {
    const ran = await driver.run(partitionOf(kind), [{ op: 'get', key }]);
    const row = ran.failed === undefined ? rowIn(ran.results[0]) : undefined;
    if (row?.data === undefined) return undefined;
    const text = codec.open(['authorization', kind, key], row.data);
    return { text, version: row.version, ageMs: Math.max(0, ran.now - row.updatedAt) };
  }

  return {
    read: async (kind, id) => readKey(kind, await keyOf(kind, 'row', id)),
    async readByAlias(kind, alias) {
      const target = await readKey(kind, await keyOf(kind, 'alias', alias));
      return target && readKey(kind, target.text);
    },
    async write(kind, id, { text, expiresInMs, alias, when, max = maxRows }) {
      const key = await keyOf(kind, 'row', id);
      const lasts = { expiresInMs: lastingMs(expiresInMs ?? Infinity) };
      const seal = (at: string, value: string): string => codec.seal(['authorization', kind, at], value);
      const version = crypto.randomUUID();
      const ops: Op[] = [
        {
          op: 'put',
          key,
          version,
          data: seal(key, text),
          ...lasts,
          ...(when !== undefined && { when }),
          groups: [{ name: 'all', ...atMost(Math.min(max, maxRows)) }],
        },
      ];
      if (alias !== undefined) {
        const name = await keyOf(kind, 'alias', alias);
        ops.push({ op: 'put', key: name, version: anyVersion, data: seal(name, key), ...lasts });
      }
      const ran = await driver.run(partitionOf(kind), ops, 'disk');
      if (ran.failed === undefined) return true;
      if (ran.why === 'full') throw noRoomFor(kind, Math.min(max, maxRows));
      return isRepeated(ran, version);
    },
    async delete(kind, id, version) {
      const when: When = version === undefined ? 'present' : { version };
      const key = await keyOf(kind, 'row', id);
      return (await driver.run(partitionOf(kind), [{ op: 'delete', key, when }], 'disk')).failed === undefined;
    },
  };
}

/** An engine that got no answer repeats a run: then this write was done before. */
const isRepeated = (ran: Ran, version: string): boolean => ran.failed !== undefined && ran.row?.version === version;

const noRoomFor = (kind: string, max: number): TenonError =>
  new TenonError('store-failed', `Nothing was stored: the store has ${max} rows of the kind ${kind}.`, {
    hint: 'Try again when some have expired.',
    details: { limit: 'authorizations', kind },
  });
