/** Makes `npx tenon` work in a checkout, as it does in a project that has installed the package. */
import { lstatSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** `bin` is the folder where npm puts commands. One that is there already stays. */
export function linkOwnCommand(bin, platform = process.platform) {
  const name = platform === 'win32' ? 'tenon.cmd' : 'tenon';
  const path = join(bin, name);
  if (lstatSync(path, { throwIfNoEntry: false }) !== undefined) return;
  mkdirSync(bin, { recursive: true });
  const script = '../../scripts/tenon.mjs';
  if (platform === 'win32') writeFileSync(path, `@node "%~dp0\\${script.replaceAll('/', '\\')}" %*\r\n`);
  else symlinkSync(script, path);
}
