/** Sees to it that there is a Chromium for the tests in a browser: one of the system, installed where that is allowed. */
import { existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { run } from './command.mjs';

/** `test/browser` looks for the same names. */
const names = ['chromium', 'chromium-browser', 'google-chrome'];

const isThere = () =>
  (process.env.PATH ?? '').split(delimiter).some((folder) => names.some((name) => existsSync(join(folder, name))));

/** Settles with why there is none; `undefined` where there is. */
export async function provideChromium() {
  if (isThere()) return undefined;
  if (process.getuid?.() !== 0) return `none of ${names.join(', ')} is installed, and only root may install one`;
  const env = { DEBIAN_FRONTEND: 'noninteractive' };
  await run('apt-get', ['update'], { env, timeoutMs: 120_000 });
  await run('apt-get', ['install', '-y', '--no-install-recommends', 'chromium'], { env, timeoutMs: 240_000 });
  return isThere() ? undefined : 'apt-get could not install it';
}
