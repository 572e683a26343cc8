/** What nobody listens to is written to standard error, up to a bound. */
import { afterEach, expect, it, vi } from 'vitest';
import { createWarningLog } from './warning-log.ts';

afterEach(() => void vi.restoreAllMocks());

it('writes the first hundred faults, says that no more are written, and is silent then', () => {
  const written = vi.spyOn(console, 'error').mockImplementation(() => {});
  const notify = createWarningLog();
  for (let n = 1; n <= 500; n++) notify(new Error(`warn ${n}`));
  const lines = written.mock.calls.map(([line]) => line);
  expect(lines).toHaveLength(101);
  expect(lines.slice(0, 100)).toEqual(Array.from({ length: 100 }, (_, n) => `tenon: warn ${n + 1}`));
  expect(lines[100]).toContain('not shown');
});
