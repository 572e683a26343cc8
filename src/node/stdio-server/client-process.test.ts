/** What is made of what the system says of a client. */
import { describe, expect, it } from 'vitest';
import { hasGone, isReadable, type Look, lookIn } from './client-process.ts';

/** A line of `/proc/…/stat`, as far as it is read. */
const line = (state: string, threads: number): string => {
  const fields = Array.from({ length: 30 }, () => '0');
  Object.assign(fields, { 0: state, 1: '7', 17: String(threads), 19: '1234' });
  return `42 (a (bad) name) ${fields.join(' ')}\n`;
};

describe('a process', () => {
  it('that sleeps is there, with its parent and its start, whatever its program is called', () => {
    expect(lookIn(line('S', 1))).toEqual({ is: 'there', parent: 7, started: '1234' });
  });

  it('that has ended is gone, unless threads of it go on', () => {
    expect(lookIn(line('Z', 1))).toEqual({ is: 'gone' });
    expect(lookIn(line('Z', 3))).toMatchObject({ is: 'there' });
  });
});

describe('a descriptor', () => {
  it.each([
    ['for reading', 'pos:\t0\nflags:\t00\nmnt_id:\t1\n', true],
    ['for both, and not waiting', 'pos:\t0\nflags:\t04002\n', true],
    ['for writing', 'pos:\t0\nflags:\t0100001\n', false],
  ])('that is open %s is told by its flags', (_, text, isOpen) => {
    expect(isReadable(text)).toBe(isOpen);
  });
});

describe('a client', () => {
  const client = { pid: 42, started: '1234' };
  it.each<[string, Look, boolean]>([
    ['is there', { is: 'there', parent: 7, started: '1234' }, false],
    ['has a new parent', { is: 'there', parent: 1, started: '1234' }, false],
    ['cannot be asked after, since descriptors have run out', { is: 'unknown' }, false],
    ['is not there', { is: 'gone' }, true],
    ['has left its number to another', { is: 'there', parent: 7, started: '9999' }, true],
  ])('that %s has gone, or has not', (_, look, isGone) => {
    expect(hasGone(client, () => look)).toBe(isGone);
  });
});
