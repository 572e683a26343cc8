/** A store whose package is not installed: the error names the command that installs it. */
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';

it('[S20] openStore() names the package that is missing, and how to install it', async () => {
  const program = join(import.meta.dirname, 'fixtures/without-packages.ts');
  const { stdout } = await promisify(execFile)(process.execPath, ['--import', 'tsx', program]);
  expect(JSON.parse(stdout)).toEqual([
    { code: 'missing-package', hint: expect.stringContaining('npm install ioredis') },
    { code: 'missing-package', hint: expect.stringContaining('npm install pg') },
    { code: 'missing-package', hint: expect.stringContaining('npm install libsql') },
  ]);
});
