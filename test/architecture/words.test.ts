/** Names, comments, messages, test titles and pages use words that a reader knows who knows MCP, Node and TypeScript. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { pathsUnder, root } from './source-tree.ts';
import { privateWordsIn } from './words.ts';

/** Everything that people of this project write. */
const ROOMS = [
  'src',
  'apps',
  'test',
  'docs',
  'examples',
  'scripts',
  'packages',
  'conformance',
  'bench',
  'site',
  'spec/requirements',
  'README.md',
  'ARCHITECTURE.md',
  'CONTRIBUTING.md',
  'CHANGELOG.md',
  'tsdown.config.ts',
  'vitest.config.ts',
];

/** The words themselves, those of requests of users, files made from official ones, which are quoted as they are, and output of tools. */
const exempt =
  /^test\/architecture\/words(?:\.test)?\.ts$|^src\/agents\/search\/synonyms\.ts$|\/generated\/|\/goldens\/|\/node_modules\/|\/results\/|^docs\/api\/|^site\/(?:pages|dist|\.vitepress\/(?:cache|\.temp))\//;

const ownTexts = (room: string): { readonly path: string; readonly text: string }[] =>
  (/\.\w+$/.test(room) ? [room] : pathsUnder(room))
    .filter((path) => /\.(?:tsx?|mjs|js|css|md|yaml)$/.test(path) && !exempt.test(path))
    .map((path) => ({ path, text: readFileSync(join(root, path), 'utf8') }));

describe('the words', () => {
  it.each(ROOMS)('of %s are plain', (room) => {
    const texts = ownTexts(room);
    expect(texts.length).toBeGreaterThan(0);
    expect(texts.flatMap(privateWordsIn)).toEqual([]);
    expect(texts.flatMap(({ path }) => privateWordsIn({ path, text: path }))).toEqual([]);
  });

  it.each([
    ['const tellProgress = 1;', 'tell'],
    ['/** Nobody listens. */', 'Nobody'],
    ["throw new Error('The call was given up.');", 'given up'],
    ["it('hears of the end', run);", 'hears'],
  ])('in %s are not', (text, word) => {
    expect(privateWordsIn({ path: 'a.ts', text })).toEqual([expect.stringContaining(`a.ts:1: "${word}": write `)]);
  });

  it('leave ordinary words alone', () => {
    expect(privateWordsIn({ path: 'a.ts', text: 'const intelligent = heart + roadmap + recommended;' })).toEqual([]);
  });
});
