/** Other implementations' servers as processes that listen on HTTP. The test file that starts them stops them. */

import { type ChildProcess, spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import type { Program } from '../../kit/peers/programs.ts';
import { withTimeout } from '../../kit/with-timeout.ts';

const started = new Set<ChildProcess>();

export async function stopServers(): Promise<void> {
  const exited = [...started].map(
    (child) => new Promise((resolve) => (child.exitCode === null ? child.once('exit', resolve) : resolve(undefined))),
  );
  for (const child of started) child.kill('SIGKILL');
  await withTimeout(Promise.all(exited), 'the servers to exit');
  started.clear();
}

/** Starts a program, and resolves with the port that it prints to standard error. */
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
    child.once('exit', (code) => reject(new Error(`The server exited with ${code} before it listened.`)));
  });
  return withTimeout(port, 'a server to listen');
}
