/** The recipe of Bun and Deno: its commands with the packed package, over HTTP and over standard streams. */
import { cp } from 'node:fs/promises';
import { connect, toText } from 'tenon';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { freePort } from '../../examples/cluster/programs.ts';
import { protocolVersions } from '../../src/protocol/revisions/revisions.ts';
import { requires } from '../kit/requires.ts';
import { type Packed, type Project, pack, toolFile, whyNoTools } from '../package/matrix/project.ts';
import { recipeFolder, start } from './recipe.ts';

let packed: Packed;
let project: Project;
beforeAll(async () => {
  packed = await pack();
  project = await packed.project('module', 'zod');
  await cp(recipeFolder('bun-deno'), project.folder, { recursive: true });
});
afterAll(() => packed?.remove());

const deno = toolFile('deno/deno');
const bun = toolFile('bun/bin/bun.exe');
// The test has no folder of packages that Deno could have made.
const manual = '--node-modules-dir=manual';
const allowed = ['--allow-env', '--allow-read', manual];

const runtimes = [
  { runtime: 'Bun', command: bun, serve: () => ['serve.ts'], program: [], stdio: [] },
  {
    runtime: 'Deno',
    command: deno,
    serve: (port: number) => [
      'serve',
      ...allowed,
      '--allow-net',
      '--host',
      '127.0.0.1',
      '--port',
      `${port}`,
      'serve.ts',
    ],
    program: ['run', '--allow-all', manual],
    stdio: ['run', ...allowed],
  },
];

/** The versions in which a form can be shown: in a session, and without one. */
const asks = new Set(['2025-06-18', '2025-11-25', '2026-07-28']);

describe.each(runtimes)('$runtime', ({ command, serve, program, stdio }) => {
  async function served() {
    const port = await freePort();
    const env = { PORT: String(port), NO_COLOR: '1' };
    const ready = /(http:\/\/(?:localhost|127\.0\.0\.1):\d+)/;
    const server = await start({ command, args: serve(port), env, cwd: project.folder, ready });
    return { server, url: `http://localhost:${port}/mcp` };
  }

  it('serves every protocol version, asks the user in a session, and ends at SIGTERM', async (context) => {
    requires(context, whyNoTools());
    const { server, url } = await served();
    const booked: string[] = [];
    for (const version of protocolVersions) {
      const client = await connect(url, {
        protocolVersions: [version],
        handlers: { elicitForm: () => ({ action: 'accept', content: { day: 'Friday' } }) },
      });
      expect(toText(await client.tools.call('forecast', { city: 'Oslo' }))).toBe('Sunny in Oslo');
      if (asks.has(version)) booked.push(toText(await client.tools.call('book')));
      await client.close();
    }
    expect(booked).toEqual([...asks].map(() => 'Booked for Friday'));
    expect(await server.end('SIGTERM')).toBe(0);
  });

  it('its client calls the server at a URL, and one that it starts as a command', async (context) => {
    requires(context, whyNoTools());
    const { url } = await served();
    const output = '2026-07-28: Sunny in Oslo\nBooked for Friday\n';
    expect(await project.run(command, [...program, 'client.ts', url])).toEqual({ code: 0, output });
    const commandLine = ['client.ts', command, ...stdio, 'stdio.ts'];
    expect(await project.run(command, [...program, ...commandLine])).toEqual({ code: 0, output });
  });
});
