/** The table of tiers names nothing that does not exist, and nothing is in no tier. */
import { describe, expect, it } from 'vitest';
import { filesOf, machine, pins, table, testFiles, tierOf } from '../tiers.ts';

describe('the table of tiers', () => {
  it('begins the path of a test file with each entry, and has none that another hides', () => {
    const decided = new Set(testFiles().map((file) => table.find(([beginning]) => file.startsWith(beginning))));
    expect(table.filter((row) => !decided.has(row))).toEqual([]);
    expect(
      [...machine, ...pins].filter((beginning) => !testFiles().some((file) => file.startsWith(beginning))),
    ).toEqual([]);
  });

  it('runs all but the long files without a tier, and refuses an unknown tier', () => {
    expect(filesOf(undefined)).toEqual(testFiles().filter((file) => tierOf(file) !== 'long'));
    expect(() => filesOf('slow')).toThrow('TENON_TIER');
  });
});
