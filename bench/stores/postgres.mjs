/** A PostgreSQL of its own with its default settings, which sync the disk at each commit; and what it used so far. */
import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { chownSync, existsSync, readdirSync, readFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { processorMs } from '../lib/processor-time.mjs';
import { freePort } from './free-port.mjs';

/** Debian has its programs in a folder for each version. */
const debian = '/usr/lib/postgresql';
const versions = existsSync(debian) ? readdirSync(debian).sort((one, other) => Number(other) - Number(one)) : [];
const folders = [...versions.map((version) => join(debian, version, 'bin')), ...process.env.PATH.split(delimiter)];
const programs = folders.find((folder) => existsSync(join(folder, 'initdb')) && existsSync(join(folder, 'psql')));

export const hasPostgres = programs !== undefined;

/** PostgreSQL refuses to run as root: then it runs as its own user. */
function account() {
  if (process.getuid() !== 0) return {};
  const id = (flag) => Number(execFileSync('id', [flag, 'postgres'], { encoding: 'utf8' }));
  return { uid: id('-u'), gid: id('-g') };
}

/** Counts the statements of clients, and not those inside functions. */
const counting = ['shared_preload_libraries=pg_stat_statements', 'pg_stat_statements.track=top'];
const onLoopback = ['listen_addresses=127.0.0.1', 'unix_socket_directories='];

export async function startPostgres(folder, remove) {
  const user = account();
  if (user.uid !== undefined) chownSync(folder, user.uid, user.gid);
  const data = join(folder, 'data');
  const own = { ...user, cwd: folder };
  const initdb = ['-D', data, '-U', 'bench', '-A', 'trust', '-E', 'UTF8', '--locale=C', '--no-sync'];
  execFileSync(join(programs, 'initdb'), initdb, { ...own, stdio: 'ignore' });
  const port = await freePort();
  const settings = [...counting, ...onLoopback].flatMap((setting) => ['-c', setting]);
  const args = ['-D', data, '-p', String(port), ...settings];
  const child = spawn(join(programs, 'postgres'), args, { ...own, stdio: ['ignore', 'ignore', 'pipe'] });
  for await (const chunk of child.stderr) if (String(chunk).includes('ready to accept connections')) break;
  child.stderr.resume();
  const address = `postgres://bench@127.0.0.1:${port}/postgres`;
  const ask = (sql) =>
    Number(spawnSync(join(programs, 'psql'), [address, '-qAtc', sql], { encoding: 'utf8' }).stdout.trim());
  ask('CREATE EXTENSION pg_stat_statements');
  return {
    address,
    cpuMs: () => processorMsOf(child.pid),
    usage: () => ({ commands: ask('SELECT sum(calls) FROM pg_stat_statements'), cpuMs: processorMsOf(child.pid) }),
    bytes: () => ask('SELECT pg_database_size(current_database())'),
    async close() {
      const exited = new Promise((resolve) => child.once('exit', resolve));
      // The rest of its processes end with it.
      child.kill('SIGINT');
      await exited;
      remove();
    },
  };
}

/** Each connection has a process. */
function processorMsOf(pid) {
  const children = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').split(' ').filter(Boolean);
  return [pid, ...children].reduce((sum, each) => sum + (existsSync(`/proc/${each}`) ? processorMs(each) : 0), 0);
}
