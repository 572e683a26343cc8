/** Deleting a private file that is not there. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { deletePrivateFile } from '../../../src/node/credentials/private-folder.ts';

it('is without effect, also where its folder was never made', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'tenon-deleted-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  await expect(deletePrivateFile(join(folder, 'none', 'a.json'))).resolves.toBeUndefined();
  await expect(deletePrivateFile(join(folder, 'a.json'))).resolves.toBeUndefined();
});
