/** The Markdown parser finds blocks, their output blocks, links and headings. */
import { expect, it } from 'vitest';
import { anchorsIn, examplesIn, readPage, relativeLinksIn } from './markdown.ts';

const fence = '```';
const page = (...lines: string[]): string => lines.join('\n');

it('pairs a ts block with the output block under a line ending in "prints:"', () => {
  const markdown = page('Start:', `${fence}ts`, 'a();', fence, 'It prints:', '', `${fence}text`, 'one', 'two', fence);
  expect(examplesIn(markdown)).toEqual([
    { line: 2, code: 'a();', runs: true, needsPackages: false, prints: 'one\ntwo' },
  ]);
});

it('pairs no output block under other prose, in another language, or further on', () => {
  const block = [`${fence}ts`, 'a();', fence];
  const output = (language: string) => [`${fence}${language}`, 'one', fence];
  const examples = [
    page(...block, 'The log:', ...output('text')),
    page(...block, 'prints:', ...output('sh')),
    page(...block, 'run', ...output('sh'), 'prints:', ...output('text')),
    page(...block, 'prints:', 'and then more prose', ...output('text')),
  ].flatMap(examplesIn);
  expect(examples.map(({ prints }) => prints)).toEqual([undefined, undefined, undefined, undefined]);
});

it('marks no-run blocks and skips other languages', () => {
  const markdown = page(`${fence}ts no-run`, 'a();', fence, `${fence}json`, '{}', fence);
  expect(examplesIn(markdown)).toMatchObject([{ runs: false }]);
});

it('reads longer fences, indented fences and a fence that is never closed', () => {
  const markdown = page(
    '````md',
    `${fence}ts`,
    fence,
    '````',
    `  ${fence}ts`,
    '  a();',
    '    b();',
    `  ${fence}`,
    `${fence}ts`,
    'c();',
  );
  expect(readPage(markdown).blocks.map(({ language, text }) => [language, text])).toEqual([
    ['md', `${fence}ts\n${fence}`],
    ['ts', 'a();\n  b();'],
    ['ts', 'c();'],
  ]);
});

it('finds relative links outside code, and no absolute URLs', () => {
  const markdown = page(
    '[a](docs/a.md) ![b](<b.png>) [c](https://example.com) [d](mailto:a@example.com) `[e](e.md)` [f](#f "title")',
    '[g]: ../g.md',
    fence,
    '[h](h.md)',
    fence,
  );
  expect(relativeLinksIn(markdown)).toEqual(['docs/a.md', 'b.png', '#f', '../g.md']);
});

it('derives the anchors of headings and numbers duplicates', () => {
  const markdown = page('# The `call`, again!', '## Errors', '### Errors', fence, '# no heading', fence);
  expect([...anchorsIn(markdown)]).toEqual(['the-call-again', 'errors', 'errors-1']);
});
