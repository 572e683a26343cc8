/** Each template of `tenon init` that is a plain server: typed, tested, built without its tests, and started without tsx. Platforms with the real ones. */
import { readFileSync } from 'node:fs';
import { readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { connect } from 'tenon';
import { startDevAuthServer } from 'tenon/dev-auth';
import { afterAll, beforeAll, expect, it, onTestFinished } from 'vitest';
import { templates } from '../../src/cli/commands/build/templates.ts';
import { startFakeProviders } from '../agents/peers/fake-providers.ts';
import { root } from '../architecture/source-tree.ts';
import { start } from '../deploy/recipe.ts';
import { requires } from '../kit/requires.ts';
import { type EmptyFolder, packInto } from './new-project.ts';
import { answer, connectTo, initProject, whyNotKept, writeProject } from './written-project.ts';

let empty: EmptyFolder;
beforeAll(async () => {
  empty = await packInto();
});
afterAll(() => empty?.remove());

/** An authorization server, a token of it, and what the project has to know of it. */
async function authorized(): Promise<{ env: Record<string, string>; headers: Record<string, string> }> {
  const resource = 'https://mcp.example.com/mcp';
  const { issuer, close } = await startDevAuthServer({ clients: [{ client_id: 'nightly', client_secret: 'secret' }] });
  onTestFinished(() => close());
  const response = await fetch(`${issuer}/token`, {
    method: 'POST',
    headers: { authorization: `Basic ${btoa('nightly:secret')}` },
    body: new URLSearchParams({ grant_type: 'client_credentials', resource, scope: 'forecast' }),
  });
  const { access_token: token } = (await response.json()) as { readonly access_token: string };
  return { env: { ISSUER: issuer, RESOURCE: resource }, headers: { authorization: `Bearer ${token}` } };
}

const answers: Readonly<Record<string, string>> = { tasks: '1000 rows in report-2026.pdf' };

const plain = ['stdio', 'http', 'http-auth', 'tasks', 'express', 'hono'];

it.for(plain)('%s passes its tests, is built, and its program answers [S31]', async (name, context) => {
  const { reachedBy = 'command', call = '' } = templates[name] ?? {};
  if (['express', 'hono'].includes(name)) requires(context, whyNotKept('frameworks'));
  const { tests, built, program } = await writeProject(empty, name);
  expect(tests).toMatch(/pass 3\n.*fail 0/s);
  expect(built).toEqual(['main.js', ...(name === 'http-auth' ? ['protected.js'] : []), 'server.js']);
  const { env, headers } =
    name === 'http-auth' ? await authorized() : { env: { SECRET: 'at least sixteen characters' }, headers: {} };
  const client = await connectTo(program, reachedBy, env, headers);
  expect(await answer(client, call)).toBe(answers[name] ?? 'Sunny in Oslo');
});

it('the others have a case of their own [S31]', () => {
  const others = readFileSync(join(root, 'test/package/other-templates.test.ts'), 'utf8');
  const described = [...others.matchAll(/^describe\('([\w-]+)'/gm)].map(([, name]) => name);
  expect([...plain, ...described].sort()).toEqual(Object.keys(templates).sort());
});

it('workers passes its tests in workerd, is bundled by Wrangler, and answers in development [S31]', async (context) => {
  requires(context, whyNotKept('wrangler'));
  const project = await initProject(empty, 'workers');
  expect(await project.check()).toBe('');
  expect(await project.test()).toMatch(/pass 3\n.*fail 0/s);
  const wrangler = join(project.folder, 'node_modules/wrangler/bin/wrangler.js');
  await empty.run(process.execPath, [wrangler, 'deploy', '--dry-run', '--outdir', 'dist'], project.folder);
  expect(await readdir(join(project.folder, 'dist'))).toContain('worker.js');
  // As `npm run dev -- --port 0`, for a user whose port is taken.
  const words = [...project.scripts.dev.split(' ').slice(1), '--port', '0'];
  const dev = await start({
    args: [wrangler, ...words],
    cwd: project.folder,
    env: { WRANGLER_SEND_METRICS: 'false' },
    ready: /(http:\/\/127\.0\.0\.1:\d+)/,
  });
  // Not killed: it ends workerd.
  onTestFinished(async () => void (await dev.end()));
  const client = await connect({ url: `${dev.url}/mcp` });
  onTestFinished(() => client.close());
  expect(await answer(client, 'forecast city=Oslo')).toBe('Sunny in Oslo');
});

it('next is built without secrets, and what is built answers [S31]', async (context) => {
  requires(context, whyNotKept('frameworks'));
  const { folder, add } = await initProject(empty, 'next');
  // Packages are links here: without it, Next looks for them below the folder only.
  await writeFile(join(folder, 'next.config.mjs'), `export default { turbopack: { root: '/' } };`);
  await add('typescript');
  const next = join(folder, 'node_modules/next/dist/bin/next');
  await empty.run(process.execPath, [next, 'build'], folder);
  const args = [next, 'start', '--port', '0', '--hostname', '127.0.0.1'];
  const { url } = await start({ args, cwd: folder, ready: /(http:\/\/127\.0\.0\.1:\d+)/ });
  const client = await connect({ url: `${url}/mcp` });
  onTestFinished(() => client.close());
  expect(await answer(client, 'forecast city=Oslo')).toBe('Sunny in Oslo');
});

it('agent answers with the SDKs of Anthropic and OpenAI, which find a provider that the test plays [S31]', async (context) => {
  requires(context, whyNotKept('agents'));
  const { folder, add } = await initProject(empty, 'agent');
  await add('@anthropic-ai/sdk');
  await add('openai');
  const { env, close } = await startFakeProviders();
  onTestFinished(close);
  for (const provider of ['ANTHROPIC', 'OPENAI']) {
    const variables = Object.entries(env).filter(([name]) => name.startsWith(provider));
    const words = [...variables.map((each) => each.join('=')), process.execPath, '--import', 'tsx', 'src/main.ts'];
    expect([provider, await empty.run('env', words, folder)]).toEqual([provider, 'Sunny in Oslo\n']);
  }
});
