/** What an authorization server remembers, on an engine: a row each, in a partition for each kind, under the digest of its ID. */
import { TenonError } from '../../lib/errors/tenon-error.ts';
import { sha256Hex } from '../../lib/text/hex.ts';
import type { AuthorizationRow, AuthorizationStore } from '../authorization-store.ts';
import type { Codec } from '../codec.ts';
import { maxOps, type Op, type Ran, type Row, type StoreDriver, type When } from '../driver.ts';
import { atMost, lastingMs, rowIn, rowsIn } from './runs.ts';

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
    async write(kind, id, { text, expiresInMs, alias, when, max = maxRows, share }) {
      const key = await keyOf(kind, 'row', id);
      const lasts = { expiresInMs: lastingMs(expiresInMs ?? Infinity) };
      const seal = (at: string, value: string): string => codec.seal(['authorization', kind, at], value);
      const version = crypto.randomUUID();
      const name = alias === undefined ? undefined : await keyOf(kind, 'alias', alias);
      const fields = {
        ...(share !== undefined && { share: codec.name(['authorization', kind, 'share', await sha256Hex(share)]) }),
        ...(name !== undefined && { alias: name }),
      };
      const limited = Math.min(max, maxRows);
      const ops: Op[] = [
        { op: 'get', key },
        {
          op: 'put',
          key,
          version,
          data: seal(key, text),
          ...lasts,
          ...(when !== undefined && { when }),
          fields,
          groups: [{ name: all, ...atMost(limited) }],
        },
      ];
      if (name !== undefined) ops.push({ op: 'put', key: name, version: key, data: seal(name, key), ...lasts });
      const partition = partitionOf(kind);
      let ran = await driver.run(partition, ops, 'disk');
      // Others may take the room that was made.
      const maxTries = share === undefined ? 0 : 3;
      for (let tries = 0; tries < maxTries && ran.failed !== undefined && ran.why === 'full'; tries++) {
        if (!(await makeRoom(driver, partition))) break;
        ran = await driver.run(partition, ops, 'disk');
      }
      if (ran.failed === undefined) {
        if (name !== undefined) await deleteAlias(driver, partition, rowIn(ran.results[0]), name);
        return true;
      }
      if (ran.why === 'full') throw noRoomFor(kind, limited);
      return isRepeated(ran, version);
    },
    async delete(kind, id, version) {
      const when: When = version === undefined ? 'present' : { version };
      const key = await keyOf(kind, 'row', id);
      const partition = partitionOf(kind);
      const get: Op = { op: 'get', key };
      const ran = await driver.run(partition, [get, { op: 'delete', key, when }], 'disk');
      if (ran.failed !== undefined) return false;
      await deleteAlias(driver, partition, rowIn(ran.results[0]));
      return true;
    },
  };
}

/** An alias goes with its row, unless another row has it since: else rows that end at once would leave theirs behind. */
async function deleteAlias(
  driver: StoreDriver,
  partition: string,
  row: Row | undefined,
  newer?: string,
): Promise<void> {
  const alias = row?.fields.alias;
  if (row === undefined || alias === undefined || alias === newer) return;
  try {
    await driver.run(partition, [{ op: 'delete', key: alias, when: { version: row.key } }]);
  } catch {
    // It expires.
  }
}

/** The group of all rows of a kind. */
const all = 'all';

/** How many of the oldest rows are looked at when there is no room: each look makes room for many. */
const sampled = 128;

/** Deletes the older half of the rows that the share with most of the oldest rows has among these. False if no share has two of them. */
async function makeRoom(driver: StoreDriver, partition: string): Promise<boolean> {
  const ran = await driver.run(partition, [{ op: 'list', group: all, max: sampled }]);
  const byShare = new Map<string, Row[]>();
  for (const row of ran.failed === undefined ? rowsIn(ran.results[0]) : []) {
    const { share } = row.fields;
    if (share === undefined) continue;
    const rows = byShare.get(share);
    if (rows === undefined) byShare.set(share, [row]);
    else rows.push(row);
  }
  let largest: readonly Row[] = [];
  for (const rows of byShare.values()) if (rows.length > largest.length) largest = rows;
  if (largest.length < 2) return false;
  const keys = largest
    .slice(0, Math.ceil(largest.length / 2))
    .flatMap(({ key, fields }) => (fields.alias === undefined ? [key] : [key, fields.alias]));
  for (let from = 0; from < keys.length; from += maxOps)
    await driver.run(
      partition,
      keys.slice(from, from + maxOps).map((key): Op => ({ op: 'delete', key })),
      'disk',
    );
  return true;
}

/** An engine that got no answer repeats a run: then this write was done before. */
const isRepeated = (ran: Ran, version: string): boolean => ran.failed !== undefined && ran.row?.version === version;

const noRoomFor = (kind: string, max: number): TenonError =>
  new TenonError('store-failed', `Nothing was stored: the store has ${max} rows of the kind ${kind}.`, {
    hint: 'Try again when some have expired.',
    details: { limit: 'authorizations', kind },
  });
