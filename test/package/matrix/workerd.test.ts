/** The packed package in a worker: bundled, and run by workerd, the runtime of Cloudflare's workers. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { build } from 'esbuild';
import { connect, toText } from 'tenon';
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
