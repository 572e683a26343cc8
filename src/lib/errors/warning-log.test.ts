/** Warnings without a callback are written to standard error, up to a limit. */
import { afterEach, expect, it, vi } from 'vitest';
import { createWarningLog } from './warning-log.ts';

afterEach(() => void vi.restoreAllMocks());

it('writes the first hundred warnings, then one line that no more are shown, then nothing', () => {
  const written = vi.spyOn(console, 'error').mockImplementation(() => {});
  const warn = createWarningLog();
  for (let n = 1; n <= 500; n++) warn(new Error(`warning ${n}`));
  const lines = written.mock.calls.map(([line]) => line);
  expect(lines).toHaveLength(101);
  expect(lines.slice(0, 100)).toEqual(Array.from({ length: 100 }, (_, n) => `tenon: warning ${n + 1}`));
  expect(lines[100]).toContain('not shown');
});
