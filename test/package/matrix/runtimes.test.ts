/** The packed package on other runtimes: the program of the matrix, and their own HTTP servers. */
import { type ChildProcess, spawn } from 'node:child_process';
import { cp } from 'node:fs/promises';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { connect, toText } from 'tenon';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { protocolVersions } from '../../../src/protocol/revisions/revisions.ts';
import { root } from '../../architecture/source-tree.ts';
import { requires } from '../../kit/requires.ts';
import { withTimeout } from '../../kit/with-timeout.ts';
import { compile, typePackages } from './compilers.ts';
import { type Packed, type Project, pack, printed, toolFile, whyNoTools } from './project.ts';

let packed: Packed;
let project: Project;
beforeAll(async () => {
  packed = await pack();
  project = await packed.project('module');
  await cp(join(root, 'test/package/matrix/served.ts'), join(project.folder, 'served.ts'));
});
afterAll(() => packed?.remove());

const runtimes = [
  { runtime: 'Bun', command: toolFile('bun/bin/bun.exe'), flags: ['run'] },
  { runtime: 'Deno', command: toolFile('deno/deno'), flags: ['run', '--allow-all', '--node-modules-dir=manual'] },
];

/** Printed once by each process that listens to the signal of a request. */
const noticeOfDeno = /^Deno\.serve: request\.signal aborts on successful responses \(legacy behavior\).*\n/m;

const stdioServer = `
  import 'tenon/stdio/guard';
  import { createServer, serveStdio, tool } from 'tenon/stdio';
  serveStdio(createServer({ name: 'weather', version: '1.0.0', tools: { now: tool({}, () => 'sun') } }));`;

const stdioClient = (target: { readonly command: string; readonly args: readonly string[] }): string => `
  import { connect, toText } from 'tenon';
  for (const version of ${JSON.stringify(protocolVersions)}) {
    const client = await connect(${JSON.stringify(target)}, { protocolVersions: [version] });
    console.log(client.protocolVersion + ': ' + toText(await client.tools.call('now')));
    await client.close();
  }`;

interface Served {
  readonly url: string;
  /** Ends it; resolves with what it wrote to standard error. */
  stop(): Promise<string>;
}

async function start(command: string, args: readonly string[]): Promise<Served> {
  const child = spawn(command, args, { cwd: project.folder, stdio: ['ignore', 'pipe', 'pipe'] });
  let complaints = '';
  child.stderr.on('data', (chunk: Buffer) => (complaints += chunk.toString()));
  const ended = new Promise<void>((resolve) => child.once('close', () => resolve()));
  const port = new Promise<string>((resolve, reject) => {
    createInterface({ input: child.stdout }).once('line', resolve);
    child.once('close', () => reject(new Error(`${command} ended: ${complaints}`)));
  });
  const url = `http://127.0.0.1:${await withTimeout(port, `the port of ${command}`)}/mcp`;
  return { url, stop: () => stopped(child, ended).then(() => complaints) };
}

async function stopped(child: ChildProcess, ended: Promise<void>): Promise<void> {
  child.kill('SIGKILL');
  await withTimeout(ended, 'the exit of a runtime');
}

describe.each(runtimes)('$runtime', ({ command, flags }) => {
  it('runs the program: serveHttp, and connect over HTTP and in memory', async (context) => {
    requires(context, whyNoTools());
    expect(await project.run(command, [...flags, 'program.ts'])).toEqual({ code: 0, output: printed });
  });

  it('starts a server as a command and calls it over standard streams, in every protocol version', async (context) => {
    requires(context, whyNoTools());
    await project.write('stdio-server.ts', stdioServer);
    await project.write('stdio-client.ts', stdioClient({ command, args: [...flags, 'stdio-server.ts'] }));
    const output = protocolVersions.map((version) => `${version}: sun\n`).join('');
    expect(await project.run(command, [...flags, 'stdio-client.ts'])).toEqual({ code: 0, output });
  });

  it('serves toFetchHandler in every protocol version, and prints nothing', async (context) => {
    requires(context, whyNoTools());
    const served = await start(command, [...flags, 'served.ts']);
    try {
      for (const version of protocolVersions) {
        const client = await connect(served.url, { protocolVersions: [version] });
        const progress: number[] = [];
        const counted = await client.tools.call(
          'count',
          {},
          { onProgress: (update) => progress.push(update.progress) },
        );
        expect([version, progress, toText(counted)]).toEqual([version, [1, 2], 'counted']);
        expect(toText(await client.tools.call('now'))).toBe('sun');
        await client.close();
      }
    } finally {
      expect((await served.stop()).replace(noticeOfDeno, '')).toBe('');
    }
  });
});

describe.each(['20.19', '24'])('Node %s', (version) => {
  const node = toolFile(`node-${version}-linux-${process.arch}/bin/node`);

  it.for(['module', 'commonjs'] as const)(
    'runs the program, compiled for a project of type %s',
    async (type, context) => {
      requires(context, whyNoTools());
      expect((await project.run(node, ['--version'])).output).toContain(`v${version}.`);
      const own = await packed.project(type, ...typePackages);
      const compilation = { tsc: 'ts7', module: 'node20', moduleResolution: 'node16' } as const;
      expect(await compile(own, 'program.ts', compilation)).toEqual({ code: 0, output: '' });
      expect(await own.run(node, ['out/program.js'])).toEqual({ code: 0, output: printed });
    },
  );
});

describe('Bun', () => {
  it('refuses options of connections, which need undici', async (context) => {
    requires(context, whyNoTools());
    const program = `
      import { connect } from 'tenon';
      await connect({ url: 'http://127.0.0.1:9/mcp', maxConnections: 1 }).catch((error) => console.log(error.code));`;
    await project.write('refused.ts', program);
    const { command = '', flags = [] } = runtimes[0] ?? {};
    expect(await project.run(command, [...flags, 'refused.ts'])).toEqual({ code: 0, output: 'invalid-argument\n' });
  });
});
