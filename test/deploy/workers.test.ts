/** The recipe of Cloudflare Workers: the packed package in its worker, bundled, and run by workerd. */
import { cp, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { build } from 'esbuild';
import { type ClientHandlers, connect, toText } from 'tenon';
import { generateApiKey } from 'tenon/auth';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { parse } from 'yaml';
import { protocolVersions } from '../../src/protocol/revisions/revisions.ts';
import { requires } from '../kit/requires.ts';
import { type Packed, pack, toolFile, whyNoTools } from '../package/matrix/project.ts';
import { recipeFile, recipeFolder, replaced } from './recipe.ts';

let packed: Packed;
let folder: string;
beforeAll(async () => {
  packed = await pack();
  folder = (await packed.project('module', 'zod')).folder;
  await cp(recipeFolder('workers'), folder, { recursive: true });
});
afterAll(() => packed?.remove());

/** Bundles a module of the folder as wrangler does without nodejs_compat. */
async function bundle(module: string): Promise<string> {
  const { outputFiles } = await build({
    entryPoints: [join(folder, module)],
    bundle: true,
    minify: true,
    write: false,
    format: 'esm',
    conditions: ['workerd', 'worker', 'browser'],
    external: ['cloudflare:workers'],
    logLevel: 'silent',
  });
  return outputFiles[0]?.text ?? '';
}

interface Miniflare {
  readonly ready: Promise<URL>;
  dispose(): Promise<void>;
}

async function start(module = 'worker.ts') {
  const { id, key, hash } = await generateApiKey();
  const file = pathToFileURL(toolFile('miniflare/dist/src/index.js')).href;
  const miniflare = (await import(/* @vite-ignore */ file)) as { Miniflare: new (options: object) => Miniflare };
  // JSON with comments and commas is YAML, but for the comments.
  const settings = parse(recipeFile('workers', 'wrangler.jsonc').replaceAll(/^\s*\/\/.*$/gm, '')) as {
    readonly compatibility_date: string;
    readonly vars: Readonly<Record<string, string>>;
  };
  expect(settings.vars).toEqual({ PUBLIC_HOST: expect.any(String) });
  const worker = new miniflare.Miniflare({
    modules: true,
    script: await bundle(module),
    compatibilityDate: settings.compatibility_date,
    bindings: {
      PUBLIC_HOST: '127.0.0.1',
      SECRET: 'a long secret of all instances',
      API_KEYS: JSON.stringify([{ id, hash, subject: 'ada' }]),
    },
    host: '127.0.0.1',
    port: 0,
  });
  onTestFinished(() => worker.dispose());
  return { url: new URL('/mcp', await worker.ready).href, headers: { authorization: `Bearer ${key}` } };
}

const accept: ClientHandlers = { elicitForm: () => ({ action: 'accept', content: { day: 'Friday' } }) };

describe('the worker of the recipe', () => {
  it('serves calls and progress in every protocol version, and only to callers with a key', async (context) => {
    requires(context, whyNoTools());
    const target = await start();
    for (const version of protocolVersions) {
      const client = await connect(target, { protocolVersions: [version] });
      const progress: number[] = [];
      const onProgress = (update: { readonly progress: number }): void => void progress.push(update.progress);
      expect(toText(await client.tools.call('forecast', { city: 'Oslo' }))).toBe('Sunny in Oslo');
      expect(toText(await client.tools.call('count', { to: 3 }, { onProgress }))).toBe('Counted to 3');
      expect([version, progress]).toEqual([version, [1, 2, 3]]);
      await client.close();
    }
    await expect(connect({ url: target.url })).rejects.toMatchObject({ code: 'unauthorized' });
  });

  it('asks the user in 2026-07-28, and answers with an error in an older version', async (context) => {
    requires(context, whyNoTools());
    const target = await start();
    const client = await connect(target, { protocolVersions: ['2026-07-28'], handlers: accept });
    expect(toText(await client.tools.call('book'))).toBe('Booked for Friday');
    await client.close();
    const older = await connect(target, { protocolVersions: ['2025-11-25'], handlers: accept });
    await expect(older.tools.call('book')).rejects.toThrow('does not support elicitation');
    await older.close();
  });

  it('starts with protect in place of API keys, with DPoP too, and refuses callers without a token', async (context) => {
    requires(context, whyNoTools());
    const issuer = 'https://auth.example.com';
    const worker = recipeFile('workers', 'worker.ts');
    const [, own = ''] = /authenticate: (.*),\n/.exec(worker) ?? [];
    const protect = `protect({ issuer: '${issuer}', resource: 'http://127.0.0.1/mcp', dpop: 'required' })`;
    const changes = { [own]: protect, 'type ApiKey, protectWithApiKeys': 'protect' };
    await writeFile(join(folder, 'protected.ts'), replaced(worker, changes));
    const { url } = await start('protected.ts');
    await expect(connect({ url })).rejects.toMatchObject({ code: 'unauthorized' });
  });
});
