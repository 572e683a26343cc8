/** The comparison gives every pair of servers the effect that was written for it. */
import { connect } from 'tenon';
import { describe, expect, it } from 'vitest';
import { compareSnapshots } from '../../src/contract/compare/compare.ts';
import { type ServerSnapshot, takeSnapshot } from '../../src/contract/snapshot.ts';
import { isSince } from '../kit/version-order.ts';
import { pairs } from './pairs/all.ts';
import type { Pair } from './pairs/pair.ts';

/** The one server that does not say its protocol versions has only one. */
async function snapshotOf(server: Pair['before']): Promise<ServerSnapshot> {
  await using client = await connect(server);
  const isOlder = !isSince(client.protocolVersion, '2026-07-28');
  return await takeSnapshot(client, isOlder ? { protocolVersions: [client.protocolVersion] } : {});
}

describe('Of two servers', () => {
  it.each(pairs)('$title is judged as written beforehand [S31]', async ({ before, after, changes }) => {
    const found = compareSnapshots(await snapshotOf(before), await snapshotOf(after)).changes;
    const shown = found.map(({ effect, kind, name, place, callers }) => {
      const changed = [kind, name, place].filter((part) => part !== '').join(' ');
      // Callers that the table does not name are not compared.
      const isNamed = changes.some(([, one, expected]) => one === changed && expected !== undefined);
      return [effect, changed, ...(isNamed ? [callers] : [])];
    });
    const sorted = (rows: readonly (readonly unknown[])[]): string[] => rows.map((row) => row.join(' | ')).sort();
    expect(sorted(shown)).toEqual(sorted(changes));
  });
});
