import { describe, expect, it } from 'vitest';
import { readFrontmatter } from './frontmatter.ts';

const between = (yaml: string): string => `---\n${yaml}\n---\nbody\n`;

describe('the frontmatter of a skill', () => {
  it.each<[string, string, unknown]>([
    ['plain fields', between('name: a\ndescription: "b: c"'), { name: 'a', description: 'b: c' }],
    ['nested fields, lists and numbers', between('a: {b: [1, 2.5]}\nc: null'), { a: { b: [1, 2.5] }, c: null }],
    ['a date, as the text it is written as', between('day: 2026-07-28'), { day: '2026-07-28' }],
    ['lines that end as on Windows', '---\r\nname: a\r\n---\r\nbody', { name: 'a' }],
    ['a byte order mark before it', `\ufeff${between('name: a')}`, { name: 'a' }],
    ['a line of dashes in the body', `${between('name: a')}---\n`, { name: 'a' }],
  ])('has %s', async (_, text, value) => {
    expect(await readFrontmatter(text)).toEqual(value);
  });

  const bomb = [
    'a: &a [x,x,x,x,x,x,x,x,x]',
    ...'bcdefghi'.split('').map((to, at) => {
      const from = 'abcdefgh'[at];
      return `${to}: &${to} [${Array(9).fill(`*${from}`).join(',')}]`;
    }),
  ].join('\n');

  it.each<[string, string]>([
    ['none', 'body'],
    ['no end', '---\nname: a\n'],
    ['a text', between('only words')],
    ['a list', between('- a')],
    ['broken YAML', between('a: [')],
    ['a key twice', between('a: 1\na: 2')],
    ['what JSON cannot say', between('a: .inf')],
    ['a key that changes objects', between('"__proto__": {a: 1}')],
    ['aliases that multiply', between(bomb)],
    ['more than the limit', between(`a: ${'x'.repeat(70_000)}`)],
  ])('that has %s is none', async (_, text) => {
    expect(await readFrontmatter(text)).toBeUndefined();
  });
});
