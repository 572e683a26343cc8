/** The packed package in the tests of a user, with each test runner. */
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { root } from '../../architecture/source-tree.ts';
import { requires } from '../../kit/requires.ts';
import { type Packed, pack, toolFile, whyNoTools } from './project.ts';

let packed: Packed;
beforeAll(async () => {
  packed = await pack();
});
afterAll(() => packed?.remove());

const node = process.execPath;

/** A test that calls a tool; `it` comes from the runner. */
const testOf = (imports: string): string => `
${imports}
import { createServer, tool, toText } from 'tenon';
import { createTestConnection } from 'tenon/test';

const server = createServer({ name: 'weather', version: '1.0.0', tools: { now: tool({}, () => 'sun') } });

it('answers', async () => {
  const { client, close } = await createTestConnection(server);
  if (toText(await client.tools.call('now')) !== 'sun') throw new Error('no sun');
  await close();
});
`;

const vmModules = { NODE_OPTIONS: '--experimental-vm-modules --no-warnings' };
const jest = (): string => toolFile('jest/bin/jest.js');

describe('a test passes with', () => {
  it('node --test', async () => {
    const project = await packed.project('module');
    await project.write('weather.test.js', testOf("import { it } from 'node:test';"));
    const { code, output } = await project.run(node, ['--test']);
    expect([code, output]).toEqual([0, expect.stringMatching(/pass 1\n.*fail 0/s)]);
  });

  it('vitest', async () => {
    const project = await packed.project('module', 'vitest');
    await project.write('weather.test.js', testOf("import { it } from 'vitest';"));
    const vitest = join(root, 'node_modules/vitest/vitest.mjs');
    const { code, output } = await project.run(node, [vitest, 'run', '--root', project.folder]);
    expect([code, output]).toEqual([0, expect.stringContaining('1 passed')]);
  });

  it('Jest, by import', async (context) => {
    requires(context, whyNoTools());
    const project = await packed.project('module');
    await project.write('jest.config.json', JSON.stringify({ transform: {} }));
    await project.write('weather.test.js', testOf(''));
    const { code, output } = await project.run(node, [jest(), '--rootDir', project.folder], { env: vmModules });
    expect([code, output]).toEqual([0, expect.stringContaining('1 passed')]);
  });
});

describe('not supported', () => {
  it('Jest by require: its modules are its own, and it requires no ESM', async (context) => {
    requires(context, whyNoTools());
    const project = await packed.project('commonjs');
    await project.write('weather.test.js', "it('loads', () => { require('tenon'); });");
    const { code, output } = await project.run(node, [jest(), '--rootDir', project.folder]);
    expect([code, output]).toEqual([1, expect.stringMatching(/Must use import|Cannot use import statement/)]);
  });
});
