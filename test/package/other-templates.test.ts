/** The templates that are more than a server: typed and tested, and what each is made for answers. */
import { spawn } from 'node:child_process';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { pathToFileURL } from 'node:url';
import { build, type Plugin } from 'esbuild';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { executable, startBrowser } from '../browser/chromium.ts';
import { openLink } from '../inspector/page/open-page.ts';
import { call } from '../kit/http/messages.ts';
import { requires } from '../kit/requires.ts';
import { type EmptyFolder, packInto } from './new-project.ts';
import { answer, connectTo, initProject, type Project, writeProject } from './written-project.ts';

let empty: EmptyFolder;
beforeAll(async () => {
  empty = await packInto();
});
afterAll(() => empty?.remove());

const passed = /pass 3\n.*fail 0/s;
const node = process.execPath;

/** Replaces a text of a file, which has to be there. */
async function replace({ folder }: Project, file: string, from: string, to: string): Promise<void> {
  const text = await readFile(join(folder, file), 'utf8');
  expect(text).toContain(from);
  await writeFile(join(folder, file), text.replace(from, to));
}

describe('from-official', () => {
  it('serves a server of version 1 of the official SDK, and one of version 2 unchanged, as far as the policy allows [S31]', async () => {
    const project = await writeProject(empty, 'from-official');
    expect(project.tests).toMatch(passed);
    expect(project.built).toEqual(['main.js', 'official.js', 'server.js']);
    const client = await connectTo(project.program, 'url');
    expect(await answer(client, 'forecast city=Oslo')).toBe('Sunny in Oslo');
    expect((await client.tools.list().all()).map(({ name }) => name)).toEqual(['forecast']);
    expect(await empty.run(node, [project.cli, 'policy', 'test', 'policy.yaml'], project.folder)).toMatch(/2 passed/);

    await project.add('@modelcontextprotocol/server');
    await replace(
      project,
      'src/official.ts',
      '@modelcontextprotocol/sdk/server/mcp.js',
      '@modelcontextprotocol/server',
    );
    expect(await project.check()).toBe('');
    expect(await project.test()).toMatch(passed);
  });
});

describe('agent', () => {
  it('answers with a scripted model, as a program too [S31]', async () => {
    const { tests, built, program, folder } = await writeProject(empty, 'agent');
    expect(tests).toMatch(passed);
    expect(built).toEqual(['agent.js', 'main.js', 'models.js', 'weather.js']);
    expect(await empty.run(program, ['What is the weather in Rome?'], folder)).toContain('Sunny in Rome');
  });
});

describe('app', () => {
  it('is built with its page as one file, and served without what bundles it [S31]', async () => {
    const { tests, built, program } = await writeProject(empty, 'app');
    expect(tests).toMatch(passed);
    expect(built).toEqual(['bundle-page.js', 'main.js', 'page.html', 'page.js', 'server.js']);
    const client = await connectTo(program, 'url');
    expect(await answer(client, 'forecast city=Oslo')).toBe('Sunny in Oslo');
    const { contents } = await client.resources.read('ui://weather-app/forecast');
    expect(contents).toMatchObject([
      { mimeType: 'text/html;profile=mcp-app', text: expect.stringContaining('Bergen') },
    ]);
  });

  it('is shown by the inspector of `tenon dev`, and its changes without a restart [S31]', async (context) => {
    requires(context, executable === undefined ? 'there is no Chromium' : undefined);
    const project = await initProject(empty, 'app', [], 'weather-app-dev');
    const lines = develop(project);
    const { inspector = '' } = await lines();
    const browser = await startBrowser(executable ?? '');
    onTestFinished(() => browser.close());
    const { page, complaints } = await openLink(browser, inspector);
    await page.getByRole('region', { name: 'tools' }).getByRole('button', { name: 'forecast' }).click();
    await page.getByRole('button', { name: 'Show it with its app' }).click();
    await page.getByLabel('city').fill('Oslo');
    await page.keyboard.press('Control+Enter');
    const app = page.frameLocator('iframe[title^="App"]').frameLocator('iframe');
    await app.getByText('Mon 4°').waitFor();
    await app.getByRole('button', { name: 'What about Bergen?' }).click();
    await page.getByRole('button', { name: 'Allow' }).click();
    await app.getByRole('heading', { name: 'Bergen' }).waitFor();

    await replace(project, 'page/index.html', 'What about Bergen?', 'And in Bergen?');
    await replace(project, 'src/server.ts', 'city.length + at', 'city.length + at + 10');
    expect(await lines()).toMatchObject({ event: 'reloaded' });
    await page.keyboard.press('Control+Enter');
    await app.getByText('Mon 14°').waitFor();
    await app.getByRole('button', { name: 'And in Bergen?' }).waitFor();
    // Apps have a port of their own.
    expect(complaints.filter((each) => !each.startsWith('request to http://127.0.0.1:'))).toEqual([]);
  });
});

/** Runs `tenon dev`; each line that it prints is one event. */
function develop({ folder, cli }: Project) {
  const child = spawn(node, [cli, 'dev', 'src/server.ts', '--http', '0', '--json'], {
    cwd: folder,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  return async (): Promise<Record<string, string>> => JSON.parse((await lines.next()).value ?? '{}').result;
}

describe('workers', () => {
  it('is typed, and its worker needs nothing of Node [S31]', async () => {
    const project = await initProject(empty, 'workers', ['wrangler']);
    await writeFile(join(project.folder, 'worker.json'), '{ "extends": "./tsconfig.json", "include": ["src"] }');
    expect(await project.check('-p', 'worker.json')).toBe('');
    const { outputFiles } = await build({
      entryPoints: [join(project.folder, 'src/worker.ts')],
      bundle: true,
      minify: true,
      write: false,
      format: 'esm',
      // As Wrangler does it.
      conditions: ['workerd', 'worker', 'browser'],
      logLevel: 'silent',
      plugins: [variablesOf({ PUBLIC_HOST: '127.0.0.1' })],
    });
    const [{ text = '', contents = new Uint8Array() } = {}] = outputFiles;
    expect(text).not.toMatch(/from ?"node:|require\("node:/);
    // 690 kB with it: the languages of zod are left out.
    expect(contents.length).toBeLessThan(1_000_000);
    await writeFile(join(project.folder, 'bundle.mjs'), text);
    const { default: worker } = await import(/* @vite-ignore */ pathToFileURL(join(project.folder, 'bundle.mjs')).href);
    const request = new Request('http://127.0.0.1/mcp', {
      method: 'POST',
      headers: {
        host: '127.0.0.1',
        accept: 'application/json, text/event-stream',
        'content-type': 'application/json',
        'mcp-protocol-version': '2025-11-25',
      },
      body: JSON.stringify(call('forecast', { city: 'Oslo' })),
    });
    expect(await (await worker.fetch(request)).text()).toContain('Sunny in Oslo');
  });
});

/** The variables of a worker, which the platform sets. */
const variablesOf = (env: object): Plugin => ({
  name: 'variables',
  setup({ onResolve, onLoad }) {
    onResolve({ filter: /^cloudflare:workers$/ }, ({ path }) => ({ path, namespace: 'variables' }));
    onLoad({ filter: /./, namespace: 'variables' }, () => ({ contents: `export const env = ${JSON.stringify(env)};` }));
  },
});

describe('lambda', () => {
  it('answers and streams behind its stand-in for Lambda, as a bundle too [S31]', async () => {
    const project = await initProject(empty, 'lambda');
    expect(await project.check()).toBe('');
    expect(await project.test()).toMatch(passed);
    await empty.run('npm', ['run', 'build'], project.folder);
    await replace(project, 'test/lambda.test.ts', '../src/lambda.ts', '../dist/lambda.mjs');
    expect(await project.test()).toMatch(passed);
  });
});

describe('next', () => {
  it('is typed, and its route answers callers with a key [S31]', async () => {
    const project = await initProject(empty, 'next', ['next', 'react', 'react-dom', '@types/react']);
    expect(await project.check()).toBe('');
    expect(await project.test()).toMatch(passed);
  });
});
