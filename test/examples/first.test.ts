/** The first server and client do what the README says. */
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { root } from '../architecture/source-tree.ts';

const run = promisify(execFile);

test('the first client starts the first server, lists its tools, calls one and ends [S19]', async () => {
  const { stdout, stderr } = await run(process.execPath, ['--import', 'tsx', 'examples/first/client.ts'], {
    cwd: root,
  });
  expect(stderr).toBe('');
  expect(stdout).toBe('forecast - The forecast for a city\nSunny in Oslo\n');
});
