/** A program that has closed its server and its clients. */

import { afterEach, expect, it } from 'vitest';
import { bundledProgram } from '../../kit/process/bundled-program.ts';
import { endAll, startRaw } from '../../kit/process/raw-process.ts';
import { withTimeout } from '../../kit/with-timeout.ts';

afterEach(endAll);

it('A process that has closed its server and its clients has no active timer, and exits by itself [S27]', async () => {
  const program = startRaw(await bundledProgram('finished-program', 'http-server'));
  expect(await withTimeout(program.ended, 'the end of the process')).toEqual({ code: 0, signal: null });
  expect(program.stderr()).toContain('timers []');
});
