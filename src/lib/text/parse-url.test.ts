import { expect, test } from 'vitest';
import { isUrl, parseUrl } from './parse-url.ts';

test('an address with letters such as ü is read however often others were, which URL.canParse of Node 20 does not', () => {
  for (let n = 0; n < 100_000; n++) isUrl(`https://a.example/${n & 7}`);
  const answers = new Set(Array.from({ length: 1000 }, () => isUrl('https://bücher.example')));
  expect([...answers]).toEqual([true]);
  expect(parseUrl('https://bücher.example')?.origin).toBe('https://xn--bcher-kva.example');
});

test('an invalid URL is rejected, alone or with a base', () => {
  expect([isUrl('no address'), isUrl('../up', 'https://a.example/b/c'), isUrl('//', 'https://a.example')]).toEqual([
    false,
    true,
    false,
  ]);
});
