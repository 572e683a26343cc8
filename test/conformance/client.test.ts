/** The fixture client without a scenario: a look at any server. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { createServer, serveHttp, tool } from 'tenon';
import { expect, it, onTestFinished } from 'vitest';
import { root } from '../architecture/source-tree.ts';

it('without a scenario it lists what a server has, and is done', async () => {
  const server = createServer({ name: 'any', version: '1', tools: { look: tool({}, () => 'x') } });
  const service = await serveHttp(server, { port: 0 });
  onTestFinished(() => service.close());
  const { MCP_CONFORMANCE_SCENARIO: _, ...env } = process.env;
  const args = ['--import', 'tsx', 'conformance/client.ts', service.url];
  const child = spawn(process.execPath, args, { cwd: root, env, timeout: 60_000 });
  const [stdout, stderr, [code]] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'close')]);
  expect([code, stderr]).toEqual([0, '']);
  expect(stdout).toBe('any at 2026-07-28\ntools: look\nresources: none\ntemplates: none\nprompts: none\n');
});
