/** The last lines are bounded, complete and in order, for any chunks of text. */
import { expect, it } from 'vitest';
import { createLastLines } from './last-lines.ts';

it('stores the last twenty lines, and an unfinished one', () => {
  const lines = createLastLines();
  lines.push(Buffer.from(Array.from({ length: 30 }, (_, n) => `line ${n}\n`).join('')));
  lines.push(Buffer.from('and the'));
  expect(lines.read()).toEqual([...Array.from({ length: 20 }, (_, n) => `line ${n + 10}`), 'and the']);
});

it('joins lines from chunks that end anywhere, also inside a character and between CR and LF', () => {
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

it('shortens an endless line, so that a process cannot fill the memory', () => {
  const lines = createLastLines();
  for (let n = 0; n < 100; n++) lines.push(Buffer.alloc(65_536, 'x'));
  expect(lines.read().map((line) => line.length)).toEqual([1000]);
});

it('adds no line at the end of a text that ends with a line break', () => {
  const received: string[] = [];
  const lines = createLastLines((line) => received.push(line));
  lines.push(Buffer.from('only\n'));
  lines.end();
  expect(received).toEqual(['only']);
  expect(lines.read()).toEqual(['only']);
});
