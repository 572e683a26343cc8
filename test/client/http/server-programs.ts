/** Servers of others as programs that listen on HTTP; the test file that starts them ends them. */

import { type ChildProcess, spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import type { Program } from '../../kit/peers/programs.ts';
import { withTimeout } from '../../kit/with-timeout.ts';

const started = new Set<ChildProcess>();

export async function endServers(): Promise<void> {
  const ended = [...started].map(
    (child) => new Promise((resolve) => (child.exitCode === null ? child.once('exit', resolve) : resolve(undefined))),
  );
  for (const child of started) child.kill('SIGKILL');
  await withTimeout(Promise.all(ended), 'the servers to end');
  started.clear();
}

/** Starts a program, and settles with the port that it names on its standard error. */
export function startServer(
  { command, args }: Program,
  pattern: RegExp = /^listening (\d+)$/,
  env: NodeJS.ProcessEnv = {},
): Promise<number> {
  const child = spawn(command, args, { stdio: ['ignore', 'ignore', 'pipe'], env: { ...process.env, ...env } });
  started.add(child);
  const port = new Promise<number>((resolve, reject) => {
    createInterface({ input: child.stderr }).on('line', (line) => {
      const found = pattern.exec(line)?.[1];
      if (found !== undefined) resolve(Number(found));
    });
    child.once('exit', (code) => reject(new Error(`The server ended with ${code} before it listened.`)));
  });
  return withTimeout(port, 'a server to listen');
}
