/** Starts nginx with the configuration beside this file and the ports of this run. */
import { readFileSync, writeFileSync } from 'node:fs';
import { chmod } from 'node:fs/promises';
import { join } from 'node:path';
import { type Program, startProgram } from './programs.ts';

const configuration = readFileSync(new URL('./nginx.conf', import.meta.url), 'utf8');

/** `folder` gets the configuration, the log and temporary files of nginx. */
export async function startNginx(folder: string, port: number, nodePorts: readonly number[]): Promise<Program> {
  // nginx that is started by root runs its workers as another user.
  await chmod(folder, 0o755);
  const file = join(folder, 'nginx.conf');
  writeFileSync(file, configurationFor(port, nodePorts));
  const args = ['-p', folder, '-c', file, '-e', 'stderr', '-g', 'daemon off;'];
  return startProgram('nginx', { args, ready: /start worker process / });
}

/** How many requests nginx has sent to the node on this port. */
export const requestsTo = (folder: string, nodePort: number): number =>
  readFileSync(join(folder, 'access.log'), 'utf8').split(`127.0.0.1:${nodePort} `).length - 1;

function configurationFor(port: number, nodePorts: readonly number[]): string {
  const withNodes = nodePorts.reduce(
    (text, nodePort, n) => text.replace(`server 127.0.0.1:${3001 + n} `, `server 127.0.0.1:${nodePort} `),
    configuration,
  );
  return withNodes.replace('listen 127.0.0.1:3000;', `listen 127.0.0.1:${port};`);
}
