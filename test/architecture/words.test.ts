/** Names, comments, messages, test titles and pages use words that a reader knows who knows MCP, Node and TypeScript. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { pathsUnder, root } from './source-tree.ts';
import { privateWordsIn } from './words.ts';

/** The places that hold to it already. The list grows until it is everything: src, test, docs, examples, scripts, … */
const ROOMS = [
  'src/client',
  'src/extensions',
  'src/host',
  'src/json-schema',
  'src/jsonrpc',
  'src/node',
  'src/protocol',
  'src/schema',
  'src/telemetry',
  'src/test',
  'src/transport',
  'test/architecture',
  'test/conformance',
  'test/docs',
  'test/extensions',
  'test/host',
  'test/json-schema',
  'test/jsonrpc',
  'test/package',
  'test/protocol',
  'test/types',
];

/** The words themselves, and files made from official ones, which are quoted as they are. */
const exempt = /^test\/architecture\/words(?:\.test)?\.ts$|\/generated\/|\/goldens\/|\/node_modules\//;

const ownTexts = (room: string): { readonly path: string; readonly text: string }[] =>
  (/\.\w+$/.test(room) ? [room] : pathsUnder(room))
    .filter((path) => /\.(?:ts|mjs|js|md)$/.test(path) && !exempt.test(path))
    .map((path) => ({ path, text: readFileSync(join(root, path), 'utf8') }));

describe('the words', () => {
  it.each(ROOMS)('of %s are plain', (room) => {
    const texts = ownTexts(room);
    expect(texts.length).toBeGreaterThan(0);
    expect(texts.flatMap(privateWordsIn)).toEqual([]);
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
