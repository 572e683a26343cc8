/** The store of `DEMO_STORE`, such as `sqlite:./demo.db`: with it sessions survive a restart of the demo. */
import { randomBytes } from 'node:crypto';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { env } from 'node:process';
import { type TaskMemory, taskFile } from 'tenon';

export const store: string | undefined = env.DEMO_STORE || undefined;

/** What seals session ids must survive a restart as well: the secret of `DEMO_SECRET`, or one in a file beside a SQLite file. */
export function secretsOf(url: string): string[] {
  if (env.DEMO_SECRET) return [env.DEMO_SECRET];
  const file = fileOf(url);
  if (file !== undefined) return [secretIn(`${file}.secret`)];
  if (/^(rediss?|postgres(ql)?):/i.test(url))
    throw new Error('DEMO_STORE with Redis or PostgreSQL needs DEMO_SECRET, a text of 16 characters or more.');
  // A store in memory needs none that lasts, and what is no store is refused where it is opened.
  return [randomBytes(32).toString('base64')];
}

/** Where the inspector remembers tasks that it has begun: beside a SQLite file. */
export function taskMemoryOf(url: string): TaskMemory | undefined {
  const file = fileOf(url);
  return file === undefined ? undefined : taskFile(`${file}.tasks.json`);
}

const fileOf = (url: string): string | undefined => /^sqlite:(?:\/\/(?=\/))?(.+)$/i.exec(url)?.[1];

/** Made by the first start: only this user may read it. */
function secretIn(file: string): string {
  mkdirSync(dirname(file), { recursive: true });
  try {
    writeFileSync(file, randomBytes(32).toString('base64'), { flag: 'wx', mode: 0o600 });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  }
  return readFileSync(file, 'utf8');
}
