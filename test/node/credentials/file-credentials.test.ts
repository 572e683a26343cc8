/** Credentials in files: who can read them, what is refused, and what errors say. */
import { chmod, mkdir, mkdtemp, readdir, readFile, rm, stat, symlink, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { inspect } from 'node:util';
import { credentialsFolder } from 'tenon/auth';
import { expect, it, onTestFinished } from 'vitest';
import { withFixed } from '../../kit/fixed-limits.ts';
import { testCredentialStore } from '../../store/credential-contract.ts';

const home = await mkdtemp(join(tmpdir(), 'tenon-credentials-'));
let folders = 0;
const newFolder = (): string => join(home, String(folders++), 'credentials');

testCredentialStore('in files', () => credentialsFolder({ folder: newFolder() }));

const key = 'https://id.example https://mcp.example/mcp';
const secret = 'canary-token-4711';

async function stored(): Promise<{ folder: string; file: string }> {
  const folder = newFolder();
  await credentialsFolder({ folder }).swap(key, undefined, { accessToken: secret });
  const [name = ''] = await readdir(folder);
  return { folder, file: join(folder, name) };
}

const modeOf = async (path: string): Promise<string> => ((await stat(path)).mode & 0o777).toString(8);

it('creates a folder with mode 700 and files with mode 600, whose names have nothing of the key [e-auth-45, e-auth-100]', async () => {
  const { folder, file } = await stored();
  expect([await modeOf(folder), await modeOf(file)]).toEqual(['700', '600']);
  expect(await readdir(folder)).toEqual([expect.stringMatching(/^[\da-f]{40}\.json$/)]);
});

it.each([0o755, 0o770, 0o701])('refuses a folder with mode %o, and names the fix', async (mode) => {
  const { folder } = await stored();
  await chmod(folder, mode);
  const store = credentialsFolder({ folder });
  for (const run of [() => store.read(key), () => store.swap(key, undefined, 1), () => store.lock(key)])
    await expect(run()).rejects.toMatchObject({
      code: 'unsafe-permissions',
      hint: expect.stringContaining('chmod 700'),
    });
});

it('refuses a file that other users can read, and a link in its place', async () => {
  const { folder, file } = await stored();
  await chmod(file, 0o640);
  const store = credentialsFolder({ folder });
  const error = await store.read(key).catch((thrown: unknown) => thrown);
  expect(error).toMatchObject({ code: 'unsafe-permissions', hint: expect.stringContaining('chmod 600') });
  expect(String(error)).not.toContain(secret);
  await rm(file);
  await symlink(join(home, 'elsewhere'), file);
  await expect(store.read(key)).rejects.toMatchObject({ code: 'store-failed' });
});

it('quotes nothing of a damaged file', async () => {
  const { folder, file } = await stored();
  const text = await readFile(file, 'utf8');
  await writeFile(file, text.slice(0, -4));
  const store = credentialsFolder({ folder });
  for (const run of [() => store.read(key), () => store.swap(key, undefined, 1)]) {
    const error = await run().catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({ code: 'store-failed' });
    expect(inspect(error)).not.toContain('canary');
  }
});

it('stores no new credential beyond maxEntries, and still replaces those it has', async () => {
  const store = credentialsFolder({ folder: newFolder(), maxEntries: 1 });
  await store.swap('a', undefined, 1);
  await expect(store.swap('b', undefined, 1)).rejects.toMatchObject({ code: 'store-failed' });
  expect(await store.swap('a', (await store.read('a'))?.version, 2)).toBe(true);
});

it('rejects a caller that waited for a lock of another store for lockTimeoutMs, and names the process', async () => {
  const folder = newFolder();
  const release = await credentialsFolder({ folder }).lock(key);
  const error = await credentialsFolder(withFixed({ folder }, { lockTimeoutMs: 20 }))
    .lock(key)
    .catch((thrown: unknown) => thrown);
  expect(error).toMatchObject({
    code: 'timeout',
    cause: expect.objectContaining({ message: expect.stringContaining(`${process.pid}`) }),
  });
  await release();
});

it('takes over the lock of a process that crashed before it wrote its name, and deletes what crashes left', async () => {
  const folder = newFolder();
  await credentialsFolder({ folder }).swap(key, undefined, 1);
  const [name = ''] = await readdir(folder);
  const hourAgo = new Date(Date.now() - 3_700_000);
  for (const left of ['.lock', '.json.x.draft', '.lock.x']) {
    const path = join(folder, name.replace('.json', left));
    await writeFile(path, '', { mode: 0o600 });
    await utimes(path, hourAgo, hourAgo);
  }
  const release = await credentialsFolder({ folder }).lock(key);
  await release();
  expect(await readdir(folder)).toEqual([name]);
});

it('takes over the lock of another machine only when its heartbeat has stopped', async () => {
  const folder = newFolder();
  const store = credentialsFolder({ folder });
  await (await store.lock(key))();
  await mkdir(folder, { recursive: true });
  const path = join(folder, (await lockName(folder)) ?? '');
  const owner = { token: crypto.randomUUID(), pid: process.pid, started: '1', machine: 'another machine' };
  await writeFile(path, JSON.stringify(owner), { mode: 0o600 });
  const impatient = credentialsFolder(withFixed({ folder }, { lockTimeoutMs: 20 }));
  await expect(impatient.lock(key)).rejects.toMatchObject({ code: 'timeout' });
  const minutesAgo = new Date(Date.now() - 120_000);
  await utimes(path, minutesAgo, minutesAgo);
  await (await store.lock(key))();
});

/** The name of the lock file of `key`. */
async function lockName(folder: string): Promise<string | undefined> {
  const release = await credentialsFolder({ folder }).lock(key);
  const name = (await readdir(folder)).find((one) => one.endsWith('.lock'));
  await release();
  return name;
}

it('takes over a lock whose process number belongs to another process now', async (ctx) => {
  const folder = newFolder();
  const store = credentialsFolder({ folder });
  const path = join(folder, (await lockName(folder)) ?? '');
  const release = await store.lock(key);
  const owner = JSON.parse(await readFile(path, 'utf8')) as Record<string, unknown>;
  await release();
  if (owner.started === undefined) return ctx.skip('the system does not say when a process started');
  await writeFile(path, JSON.stringify({ ...owner, token: crypto.randomUUID(), started: '1' }), { mode: 0o600 });
  await expect(store.lock(key)).resolves.toBeTypeOf('function');
});

it('names the option that is wrong', () => {
  expect(() => credentialsFolder({ directory: 'x' } as object)).toThrow(/Did you mean folder/);
  expect(() => credentialsFolder({ folder: '' })).toThrow(/path of a folder/);
});

it('is in the configuration folder of the user by default', async () => {
  const before = process.env.XDG_CONFIG_HOME;
  onTestFinished(() => {
    if (before === undefined) delete process.env.XDG_CONFIG_HOME;
    else process.env.XDG_CONFIG_HOME = before;
  });
  process.env.XDG_CONFIG_HOME = join(home, 'settings');
  await credentialsFolder().swap(key, undefined, 1);
  expect(await readdir(join(home, 'settings', 'tenon', 'credentials'))).toHaveLength(1);
});
