/** Names of a server that are long, and are in the places of all that is below them: compared, printed and repeated in bounded space. */
import { compareResults } from 'tenon/capture';
import { compareSnapshots, type ServerSnapshot } from 'tenon/contract';
import { describe, expect, it } from 'vitest';
import { shownStructure } from '../../../src/cli/output/content.ts';
import { definitionList } from '../../../src/cli/output/definition-list.ts';
import { shownItem } from '../../../src/cli/output/shown-item.ts';
import { textTable } from '../../../src/cli/output/table.ts';

const long = 'n'.repeat(100_000);
const count = 2000;

/** An object of many members, below one with a long name. */
const below = <T>(member: (n: number) => T): Record<string, Record<string, T>> => ({
  [long]: Object.fromEntries(Array.from({ length: count }, (_, n) => [`m${n}`, member(n)])),
});

const charsOf = (value: unknown): number => JSON.stringify(value).length;

const snapshotWith = (type: string, capabilities: object): ServerSnapshot =>
  ({
    snapshot: 1,
    protocolVersion: '2025-11-25',
    capabilities: { ...capabilities },
    tools: [
      {
        name: 't',
        inputSchema: {
          type: 'object',
          properties: { [long]: { type: 'object', properties: below(() => ({ type, description: type }))[long] } },
        },
      },
    ],
    resources: [],
    templates: [],
    prompts: [],
  }) as never;

describe('a name of 100,000 characters above 2000 others [S24]', () => {
  it('in a schema: what is too large to compare is undecided', () => {
    const { changes } = compareSnapshots(snapshotWith('string', {}), snapshotWith('number', {}));
    expect(charsOf(changes)).toBeLessThan(50_000_000);
    expect(changes.some(({ effect }) => effect === 'undecided')).toBe(true);
  });

  it('in capabilities: each change has the beginning of the name', () => {
    const { changes } = compareSnapshots(
      snapshotWith(
        'string',
        below(() => ({})),
      ),
      snapshotWith('string', { [long]: {} }),
    );
    expect(changes).toHaveLength(count);
    expect(charsOf(changes)).toBeLessThan(2_000_000);
  });

  it('in a result that is compared with a recorded one: each place has the beginning of the name', () => {
    const differences = compareResults(
      below(() => 1),
      below(() => 2),
    );
    expect(differences).toHaveLength(100);
    expect(charsOf(differences)).toBeLessThan(100_000);
  });

  it('in the arguments of a tool that is printed', () => {
    const properties = { [long]: { type: 'object', properties: below(() => ({ type: 'string' }))[long] } };
    const item = { name: 't', inputSchema: { type: 'object', properties } };
    expect(shownItem(item, { columns: Number.POSITIVE_INFINITY, hasColor: false }).length).toBeLessThan(1_000_000);
  });
});

describe('what a server sends, in the columns of a terminal [S24]', () => {
  const rows = Array.from({ length: count }, (_, n) => [n === 0 ? long : 'name', 'text']);

  it('has no padding up to the longest cell, which is shown whole', () => {
    const shown = textTable(rows, 80);
    expect(shown.length).toBeLessThan(500_000);
    expect(shown).toContain(long);
    const listed = definitionList(rows as [string, string][], Number.POSITIVE_INFINITY);
    expect(listed.join('').length).toBeLessThan(500_000);
  });

  it('is JSON where a table would have far more cells than there are values', () => {
    const sparse = Array.from({ length: 1000 }, (_, n) => ({ [`k${n % 90}`]: 1 }));
    expect(JSON.parse(shownStructure({ sparse }, { columns: 80, isTerminal: true } as never))).toEqual({ sparse });
  });

  it('is one line where indents would be longer than the values', () => {
    let deep: unknown = Array.from({ length: 200_000 }, () => 1);
    for (let level = 0; level < 100; level++) deep = [deep];
    const shown = shownStructure({ deep, other: 1 }, { columns: 80, isTerminal: true } as never);
    expect(shown.length).toBeLessThan(1_000_000);
  });
});
