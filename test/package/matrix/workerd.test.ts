/** The packed package in a worker: bundled, and run by workerd, the runtime of Cloudflare's workers. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { gzipSync } from 'node:zlib';
import { build } from 'esbuild';
import { connect, createServer, serveHttp, tool, toText } from 'tenon';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { protocolVersions } from '../../../src/protocol/revisions/revisions.ts';
import { root } from '../../architecture/source-tree.ts';
import { requires } from '../../kit/requires.ts';
import { type Packed, type Project, pack, toolFile, whyNoTools } from './project.ts';

let packed: Packed;
let project: Project;
beforeAll(async () => {
  packed = await pack();
  project = await packed.project('module', 'zod');
});
afterAll(() => packed?.remove());

const source = await readFile(join(root, 'test/package/matrix/worker.ts'), 'utf8');

async function bundle(text: string): Promise<string> {
  await project.write('worker.ts', text);
  const { outputFiles } = await build({
    entryPoints: [join(project.folder, 'worker.ts')],
    bundle: true,
    minify: true,
    write: false,
    format: 'esm',
    conditions: ['workerd', 'worker', 'browser'],
    logLevel: 'silent',
  });
  return outputFiles.map(({ text: code }) => code).join('\n');
}

interface Miniflare {
  readonly ready: Promise<URL>;
  dispose(): Promise<void>;
}

/** Resolves with the URL of the server in a worker. */
async function start(script: string): Promise<string> {
  const file = pathToFileURL(toolFile('miniflare/dist/src/index.js')).href;
  const miniflare = (await import(/* @vite-ignore */ file)) as { Miniflare: new (options: object) => Miniflare };
  const compatibilityDate = '2026-07-01';
  const worker = new miniflare.Miniflare({ modules: true, script, compatibilityDate, host: '127.0.0.1', port: 0 });
  onTestFinished(() => worker.dispose());
  return new URL('/mcp', await worker.ready).href;
}

/** What the page measures: a worker with one tool, by the schema of its input. */
const withSchema: Readonly<Record<string, readonly [imports: string, schema: string]>> = {
  none: ['', ''],
  'zod/mini': ["import * as z from 'zod/mini';", 'inputSchema: z.object({ city: z.string() })'],
  "* as z from 'zod'": ["import * as z from 'zod';", 'inputSchema: z.object({ city: z.string() })'],
  fromJsonSchema: [
    "import { fromJsonSchema } from 'tenon/json-schema';",
    "inputSchema: fromJsonSchema({ type: 'object', properties: { city: { type: 'string' } } })",
  ],
  '{ z }': ["import { z } from 'zod';", 'inputSchema: z.object({ city: z.string() })'],
};

const workerWith = ([imports, schema]: readonly [string, string]): string => `
  import { createServer, toFetchHandler, tool } from 'tenon/server';
  ${imports}
  const tools = { forecast: tool({ ${schema} }, () => 'sun') };
  const handler = toFetchHandler(createServer({ name: 'weather', version: '1.0.0', tools }));
  export default { fetch: (request) => handler(request) };`;

/** The sizes that the page states for a schema, in kB. */
async function statedFor(schema: string): Promise<number[]> {
  const page = await readFile(join(root, 'docs/guide/bundling-and-runtimes.md'), 'utf8');
  const row = page.split('\n').find((line) => line.includes(schema) && line.includes(' kB |')) ?? '';
  return [...row.matchAll(/(\d+) kB/g)].map(([, size]) => Number(size));
}

/** A worker that calls a tool for each request, in the protocol version of its query. */
const clientOf = (server: string): string => `
  import { connect, toText } from 'tenon';
  async function call(request) {
    const client = await connect(${JSON.stringify(server)}, { protocolVersions: [new URL(request.url).search.slice(1)] });
    const text = toText(await client.tools.call('now'));
    await client.close();
    return client.protocolVersion + ': ' + text;
  }
  export default { fetch: async (request) => new Response(await call(request).catch((error) => error.stack)) };`;

describe('workerd', () => {
  it('serves a server that was created at module scope, in every protocol version', async (context) => {
    requires(context, whyNoTools());
    const url = await start(await bundle(source));
    for (const version of protocolVersions) {
      const client = await connect(url, { protocolVersions: [version] });
      const progress: number[] = [];
      const counted = await client.tools.call('count', {}, { onProgress: (update) => progress.push(update.progress) });
      expect([version, progress, toText(counted)]).toEqual([version, [1, 2], 'counted']);
      const calls = Array.from({ length: 20 }, () => client.tools.call('now'));
      expect((await Promise.all(calls)).map(toText)).toEqual(calls.map(() => 'sun'));
      await client.close();
    }
  });

  it('serves a server with a guard and a store that were created at module scope, in every protocol version', async (context) => {
    requires(context, whyNoTools());
    const guarded = await readFile(join(root, 'test/package/matrix/guarded-worker.ts'), 'utf8');
    const url = await start(await bundle(guarded));
    for (const version of protocolVersions) {
      const target = { url, headers: { authorization: 'Bearer ada' } };
      const client = await connect(target, { protocolVersions: [version] });
      expect((await client.tools.list().all()).map(({ name }) => name)).toEqual(['now', 'deploy']);
      const calls = Array.from({ length: 3 }, () => client.tools.call('now', {}, { idempotencyKey: version }));
      expect((await Promise.all(calls)).map(toText)).toEqual(['sun', 'sun', 'sun']);
      expect(toText(await client.tools.call('deploy'))).toContain('Another person has to approve');
      await client.close();
    }
  });

  it('ends a call that takes too long, also where requests overlap', async (context) => {
    requires(context, whyNoTools());
    const url = await start(await bundle(source));
    const client = await connect(url);
    const calls = ['brief', 'endless', 'brief', 'endless'].map((name) =>
      client.tools.call(name).then(toText, (error: Error) => error.message),
    );
    const tooLong = expect.stringContaining('took longer than 2000 ms');
    expect(await Promise.all(calls)).toEqual(['brief', tooLong, 'brief', tooLong]);
    await client.close();
  });

  it('serves elicitation in 2026-07-28, which needs no session', async (context) => {
    requires(context, whyNoTools());
    const url = await start(await bundle(source));
    const client = await connect(url, {
      protocolVersions: ['2026-07-28'],
      handlers: { elicitForm: () => ({ action: 'accept', content: { day: 'Friday' } }) },
    });
    expect(toText(await client.tools.call('book'))).toBe('Booked for Friday');
    await client.close();
  });

  it('serves the example of the guide', async (context) => {
    requires(context, whyNoTools());
    const page = await readFile(join(root, 'docs/guide/http.md'), 'utf8');
    const [, example = ''] = /### In workers[^]+?```ts no-run\n([^]+?)```/.exec(page) ?? [];
    const url = await start(await bundle(example.replace('weather.example.workers.dev', '127.0.0.1')));
    const client = await connect(url);
    expect(toText(await client.tools.call('now'))).toBe('sun');
    await client.close();
  });

  it('connects as a client, in every protocol version', async (context) => {
    requires(context, whyNoTools());
    const weather = createServer({ name: 'weather', version: '1.0.0', tools: { now: tool({}, () => 'sun') } });
    const service = await serveHttp(weather, { port: 0 });
    onTestFinished(() => service.close());
    const url = await start(await bundle(clientOf(service.url)));
    for (const version of protocolVersions)
      expect(await (await fetch(`${url}?${version}`)).text()).toBe(`${version}: sun`);
  });

  it.each(Object.entries(withSchema))('has the size that the guide states, with %s', async (schema, parts) => {
    const code = await bundle(workerWith(parts));
    const sizes = [code.length, gzipSync(code, { level: 9 }).length].map((bytes) => Math.round(bytes / 1000));
    const stated = await statedFor(schema);
    const isNear = sizes.map((size, at) => Math.abs(size - (stated[at] ?? 0)) < size * 0.03);
    expect(isNear, `it has ${sizes.join(' kB, ')} kB, the page says ${stated.join(' kB, ')} kB`).toEqual([true, true]);
  });

  it('refuses sessions where the handler is created', async (context) => {
    requires(context, whyNoTools());
    const refusing = `
      import { createServer, toFetchHandler } from 'tenon/server';
      const server = createServer({ name: 'weather', version: '1.0.0' });
      let code = 'none';
      try { toFetchHandler(server, { sessions: { maxCount: 10 } }); } catch (error) { code = error.code; }
      export default { fetch: () => new Response(code) };`;
    const url = await start(await bundle(refusing));
    expect(await (await fetch(url)).text()).toBe('invalid-argument');
  });
});
