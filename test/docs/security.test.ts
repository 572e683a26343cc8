/** The threat model and the table of attacks name the same attacks, and every proof exists. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { root } from '../architecture/source-tree.ts';
import { attacks } from '../attacks/table/rows/index.ts';
import { relativeLinksIn } from './markdown.ts';

const page = readFileSync(join(root, 'docs/security.md'), 'utf8');
const ids = attacks.map(({ id }) => id);

/** The ids of a page, those between the two of a range included. */
function namedIn(markdown: string): string[] {
  const ranges = [...markdown.matchAll(/`([a-z]+)-(\d\d)` to `([a-z]+)-(\d\d)`/g)].flatMap(
    ([whole, from, first, to, last]) => {
      expect([whole, to]).toEqual([whole, from]);
      const length = Number(last) - Number(first) + 1;
      return Array.from({ length }, (_, n) => `${from}-${String(Number(first) + n).padStart(2, '0')}`);
    },
  );
  return [...new Set([...ranges, ...[...markdown.matchAll(/`([a-z]+-\d\d)`/g)].map(([, id]) => id as string)])];
}

describe('the threat model', () => {
  it('names only attacks that are in the table [S24]', () => {
    expect(namedIn(page).filter((id) => !ids.includes(id))).toEqual([]);
  });

  it('names every attack of the table [S24]', () => {
    const named = namedIn(page);
    expect(ids.filter((id) => !named.includes(id))).toEqual([]);
  });

  it('has a proof in each row of its tables of attacks, which is a test or a file of the table [S24]', () => {
    const rows = page.split('\n').filter((line) => line.startsWith('| ') && line.split('|').length === 5);
    const proofs = rows.filter((line) => !/^\| (?:attack|attacker|-+) /.test(line) && line.includes('](../test/'));
    const without = rows.filter((line) => !/^\| (?:attack|-+|a |another )/.test(line) && !proofs.includes(line));
    expect(proofs.length).toBeGreaterThan(20);
    expect(without).toEqual([]);
    const wrong = relativeLinksIn(page).filter(
      (link) => link.startsWith('../test/') && !/\.test\.ts$|\/table\/rows\/\w+\.ts$/.test(link),
    );
    expect(wrong).toEqual([]);
  });

  it('describes every attacker of the table', () => {
    const attackers = [...new Set(attacks.map(({ attacker }) => attacker))];
    expect(attackers.filter((attacker) => !page.includes(`| ${attacker} `))).toEqual([]);
  });
});
