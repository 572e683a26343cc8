/** Whatever a server sends, a terminal gets no control sequence of it, and tables stay tables where they are colored. */
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { textTable } from '../../src/cli/output/table.ts';
import { typed } from './terminal.ts';

const hostile = ['--', process.execPath, fileURLToPath(new URL('./fixtures/hostile.mjs', import.meta.url))];
const at = (line: string): Promise<{ out: string; err: string }> =>
  typed([...line.split(' '), ...hostile], { isTerminal: true, hasColor: true });

const [escape, bell, csi] = ['\u001b', '\u0007', '\u009b'];
const controls = new RegExp(`${escape}(?!\\[(?:1|2|22|31|32|39)m)|${bell}|${csi}`);

describe('a hostile server', () => {
  it.each([
    'tenon info',
    'tenon tools',
    'tenon tools ok',
    'tenon prompts',
    'tenon templates',
    'tenon call ok',
    'tenon call table',
  ])('%s prints none of its control sequences [S31]', async (line) => {
    const { out, err } = await at(line);
    expect(out + err).toContain('\\u001b]0;owned');
    expect(out + err).not.toMatch(controls);
  });
});

describe('a table', () => {
  it('has a gap after a styled cell', () => {
    const rows = [
      ['\u001b[1mok\u001b[22m', 'fine'],
      ['table', 'wide'],
    ];
    expect(textTable(rows, 80)).toBe('\u001b[1mok\u001b[22m     fine\ntable  wide');
  });
});
