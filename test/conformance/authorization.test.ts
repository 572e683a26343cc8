/** The authorization-server scenarios of the official suite, where `npm run conformance` has installed it. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { readScenarios } from '../../scripts/conformance/results.ts';
import { root } from '../architecture/source-tree.ts';

const suite = join(root, '.tenon/conformance/node_modules/@modelcontextprotocol/conformance/dist/index.js');
const node24 = join(root, `.tenon/node24/node_modules/node-${process.platform}-${process.arch}/bin/node`);
const isNew = Number.parseInt(process.versions.node, 10) >= 22;
const node = isNew ? process.execPath : node24;

it('pass against the development authorization server', async (context) => {
  if (!existsSync(suite) || !existsSync(node))
    context.skip('the official suite is not installed: npm run conformance -- authorization');
  const results = await mkdtemp(join(tmpdir(), 'tenon-authorization-'));
  onTestFinished(() => rm(results, { recursive: true }));
  const args = ['--import', 'tsx', 'conformance/authorization.ts', node, suite, 'authorization', '-o', results];
  const child = spawn(process.execPath, args, { cwd: root, stdio: 'ignore', timeout: 100_000 });
  await once(child, 'exit');
  const scenarios = readScenarios('authorization', 'authorization', '', results);
  const outcome = scenarios.map(({ name, checks }) => [name, [...new Set(checks?.map(({ status }) => status))]]);
  expect(outcome).toEqual([
    ['authorization-server-metadata-endpoint', ['SUCCESS']],
    ['authorization-code-grant', ['SUCCESS']],
  ]);
});
