import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { isWatched } from './change-notifications.ts';

describe('A watched resource', () => {
  it.each([
    ['note://a', 'note://a', true],
    ['note://a', 'note://a/b/c', true],
    ['note://a/', 'note://a/b', true],
    ['note://a/', 'note://a', false],
    ['note://a', 'note://ab', false],
    ['note:', 'note://a', true],
    ['', '/a', true],
    ['', 'a', false],
    ['note://a/b', 'note://a', false],
  ])('%j is concerned by a change of %j: %s', (watched, uri, isSo) => {
    expect(isWatched(new Set([watched]), uri)).toBe(isSo);
  });

  it('is the resource itself or one above it, for any texts', () => {
    const text = fc.string({ unit: fc.constantFrom('/', 'a', 'b', ':'), maxLength: 8 });
    fc.assert(
      fc.property(fc.uniqueArray(text, { maxLength: 4 }), text, (all, uri) => {
        const above = (one: string): string => (one.endsWith('/') ? one : `${one}/`);
        const isSo = all.some((one) => uri === one || uri.startsWith(above(one)));
        expect(isWatched(new Set(all), uri)).toBe(isSo);
      }),
      { seed: 7, numRuns: 1000 },
    );
  });

  it('is found without a look at the others [S24, S36]', () => {
    const looked: string[] = [];
    const watched = { has: (uri: string): boolean => looked.push(uri) < 0 };
    expect(isWatched(watched, 'note://a/b')).toBe(false);
    expect(looked.length).toBeLessThan(10);
  });
});
