/** A Redis of its own, with what it used so far. */
import { spawn, spawnSync } from 'node:child_process';
import { processorMs } from '../lib/processor-time.mjs';
import { freePort } from './free-port.mjs';

export const hasRedis = spawnSync('redis-server', ['--version']).status === 0;

export async function startRedis(folder, remove) {
  const port = await freePort();
  // What most people run: written to disk once a second.
  const saving = ['--save', '', '--appendonly', 'yes', '--appendfsync', 'everysec'];
  const args = ['--port', String(port), '--bind', '127.0.0.1', '--dir', folder, ...saving];
  const child = spawn('redis-server', args, { stdio: ['ignore', 'pipe', 'inherit'] });
  for await (const chunk of child.stdout) if (String(chunk).includes('Ready to accept connections')) break;
  child.stdout.resume();
  const info = (section) => spawnSync('redis-cli', ['-p', String(port), 'INFO', section], { encoding: 'utf8' }).stdout;
  return {
    address: `redis://127.0.0.1:${port}`,
    cpuMs: () => processorMs(child.pid),
    usage: () => ({ commands: commandsIn(info('commandstats')), cpuMs: processorMs(child.pid) }),
    bytes: () => Number(/used_memory:(\d+)/.exec(info('memory'))?.[1]),
    async close() {
      const exited = new Promise((resolve) => child.once('exit', resolve));
      child.kill('SIGKILL');
      await exited;
      remove();
    },
  };
}

/** What clients send: functions, scripts, and waiting for a job. Commands inside them do not count. */
const commandsIn = (stats) =>
  [...stats.matchAll(/^cmdstat_(?:fcall|evalsha|eval|bzpopmin):calls=(\d+)/gm)].reduce(
    (sum, [, calls]) => sum + Number(calls),
    0,
  );
