/** The recipe of Next: its application is built and started with the packed package and the real Next, and called. */
import { cp, mkdir, symlink, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { type ClientHandlers, connect, toText } from 'tenon';
import { generateApiKey } from 'tenon/auth';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { protocolVersions } from '../../src/protocol/revisions/revisions.ts';
import { loneCall } from '../kit/http/messages.ts';
import { open } from '../kit/http/raw-http.ts';
import { requires } from '../kit/requires.ts';
import { type Packed, type Project, pack } from '../package/matrix/project.ts';
import { recipeFolder, start } from './recipe.ts';
import { installed, whyNotInstalled } from './tools.ts';

const missing = whyNotInstalled('frameworks');
const packages = ['next', 'react', 'react-dom', 'typescript', '@types/node', '@types/react'];
const next = 'node_modules/next/dist/bin/next';
// Packages are links here: without it, Next looks for them below the folder only.
const config = `export default { turbopack: { root: '/' } };`;

let packed: Packed;
let project: Project;
let built: { readonly code: number; readonly output: string };
beforeAll(async () => {
  if (missing !== undefined) return;
  packed = await pack();
  project = await packed.project('module', 'zod');
  for (const name of packages) {
    const link = join(project.folder, 'node_modules', name);
    await mkdir(dirname(link), { recursive: true });
    await symlink(installed('frameworks', name), link);
  }
  await cp(recipeFolder('next'), project.folder, { recursive: true });
  await writeFile(join(project.folder, 'next.config.mjs'), config);
  const env = { NEXT_TELEMETRY_DISABLED: '1', NODE_ENV: 'production' };
  built = await project.run(process.execPath, [next, 'build'], { env });
}, 600_000);
afterAll(() => packed?.remove());

async function serve() {
  const { id, key, hash } = await generateApiKey();
  const env = {
    NEXT_TELEMETRY_DISABLED: '1',
    NODE_ENV: 'production',
    PUBLIC_HOST: '127.0.0.1',
    SECRET: 'a long secret of all instances, of 32 characters',
    API_KEYS: JSON.stringify([{ id, hash, subject: 'ada' }]),
  };
  const args = [next, 'start', '--port', '0', '--hostname', '127.0.0.1'];
  const { url } = await start({ args, env, cwd: project.folder, ready: /(http:\/\/127\.0\.0\.1:\d+)/ });
  return { url: `${url}/mcp`, headers: { authorization: `Bearer ${key}` } };
}

const handlers: ClientHandlers = { elicitForm: () => ({ action: 'accept', content: { day: 'Friday' } }) };

it('is built without secrets', (context) => {
  requires(context, missing);
  expect(built).toEqual({ code: 0, output: expect.stringContaining('/mcp') });
});

it('serves every protocol version, and questions in 2026-07-28, to callers with a key', async (context) => {
  requires(context, missing);
  const target = await serve();
  for (const version of protocolVersions) {
    const client = await connect(target, { protocolVersions: [version], handlers });
    const progress: number[] = [];
    const onProgress = (update: { readonly progress: number }): void => void progress.push(update.progress);
    expect(toText(await client.tools.call('forecast', { city: 'Oslo' }))).toBe('Sunny in Oslo');
    expect(toText(await client.tools.call('count', { to: 3 }, { onProgress }))).toBe('Counted to 3');
    expect([version, progress]).toEqual([version, [1, 2, 3]]);
    await client.close();
  }
  const client = await connect(target, { protocolVersions: ['2026-07-28'], handlers });
  expect(toText(await client.tools.call('book'))).toBe('Booked for Friday');
  await client.close();
  await expect(connect({ url: target.url })).rejects.toMatchObject({ code: 'unauthorized' });
});

it('passes progress on before the result', async (context) => {
  requires(context, missing);
  const { url, headers } = await serve();
  const message = loneCall('count', { to: 100 }, { progressToken: 1 });
  const stream = await open(url, { ...message, headers: { ...message.headers, ...headers } });
  // The call takes ten seconds: what arrives meanwhile was not held back.
  await stream.until(() => stream.text().includes('"progress":1'), 'the first progress');
  expect(stream.text()).not.toContain('Counted to');
  stream.cut();
});
