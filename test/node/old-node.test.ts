/** On a Node that is too old, library and command line say so in one sentence. */
import { execFile } from 'node:child_process';
import { pathToFileURL } from 'node:url';
import { expect, it } from 'vitest';
import { nodeProblem } from '../../src/node/process/node-version.ts';
import { root } from '../architecture/source-tree.ts';
import { program } from '../cli/program.ts';

const sentence = 'Tenon needs Node 20.19 or newer, and this is Node 20.18.3.';

it.each([
  ['18.20.4', true],
  ['20.18.3', true],
  ['20.19.0', false],
  ['22.1.0', false],
])('Node %s is refused: %s', (node, isRefused) => {
  expect(nodeProblem({ ...process.versions, node }) !== undefined).toBe(isRefused);
});

it('another runtime is not asked for its version of Node', () => {
  expect(nodeProblem({ ...process.versions, node: '18.0.0', bun: '1.3.0' })).toBeUndefined();
});

/** Node itself, with another version. */
const pretending = `data:text/javascript,Object.defineProperty(process,'versions',{value:{...process.versions,node:'20.18.3'}})`;

const run = (command: string, args: readonly string[]): Promise<{ code: unknown; err: string }> =>
  new Promise((resolve) => {
    execFile(command, ['--import', pretending, ...args], { cwd: root }, (error, _out, err) =>
      resolve({ code: error?.code ?? 0, err }),
    );
  });

it('the command line prints it', async () => {
  const { command, args } = program('--version');
  expect(await run(command, args)).toEqual({ code: 2, err: `tenon: ${sentence}\n` });
});

it.each([
  ['connect', "await connect('http://127.0.0.1:1/mcp')"],
  ['serveHttp', "await serveHttp(createServer({ name: 'x', version: '1' }))"],
  ['serveStdio', "serveStdio(createServer({ name: 'x', version: '1' }))"],
])('%s() throws it', async (name, call) => {
  const entry = pathToFileURL(`${root}/src/node/index.ts`).href;
  const code = `const { createServer, ${name} } = await import('${entry}'); ${call};`;
  const { err } = await run(process.execPath, ['--import', 'tsx', '--input-type=module', '-e', code]);
  expect(err).toContain(sentence);
});
