/** The last lines are kept bounded, whole and in order, however the text is cut. */
import { expect, it } from 'vitest';
import { createLastLines } from './last-lines.ts';

it('keeps the last twenty lines, and one that is not finished', () => {
  const lines = createLastLines();
  lines.push(Buffer.from(Array.from({ length: 30 }, (_, n) => `line ${n}\n`).join('')));
  lines.push(Buffer.from('and the'));
  expect(lines.read()).toEqual([...Array.from({ length: 20 }, (_, n) => `line ${n + 10}`), 'and the']);
});

it('puts lines together that were cut anywhere, also inside a character and between return and newline', () => {
  const text = Buffer.from('größe\r\nnaïve ☃\r\nlast');
  for (let at = 0; at <= text.length; at++) {
    const received: string[] = [];
    const lines = createLastLines((line) => received.push(line));
    lines.push(text.subarray(0, at));
    lines.push(text.subarray(at));
    expect(received).toEqual(['größe', 'naïve ☃']);
    lines.end();
    expect(received).toEqual(['größe', 'naïve ☃', 'last']);
    expect(lines.read()).toEqual(received);
  }
});

it('cuts a line that never ends, so that a process cannot fill the memory with it', () => {
  const lines = createLastLines();
  for (let n = 0; n < 100; n++) lines.push(Buffer.alloc(65_536, 'x'));
  expect(lines.read().map((line) => line.length)).toEqual([1000]);
});

it('says nothing more at the end of a text that ends with a line end', () => {
  const received: string[] = [];
  const lines = createLastLines((line) => received.push(line));
  lines.push(Buffer.from('only\n'));
  lines.end();
  expect(received).toEqual(['only']);
  expect(lines.read()).toEqual(['only']);
});
