/** A caller that opens and closes sessions: processes that take their time to end are as many as the limit allows. */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { openClient, served, startGateway } from '../../gateway/start.ts';
import { isRunning } from '../../kit/process/is-running.ts';
import { sessionVersion } from './raw-upstream.ts';

/** It stays for as long as it may, whatever it is asked, and writes its id into a file. */
const program = `
const fs = require('node:fs');
fs.appendFileSync(process.argv[1], process.pid + '\\n');
process.on('SIGTERM', () => {});
setInterval(() => {}, 1000);
let text = '';
process.stdin.on('data', (chunk) => {
  text += chunk;
  for (let at; (at = text.indexOf('\\n')) >= 0; text = text.slice(at + 1)) {
    const { id, method } = JSON.parse(text.slice(0, at));
    if (id === undefined) continue;
    const result = { initialize: { protocolVersion: '2025-06-18', capabilities: { tools: {} }, serverInfo: { name: 'x', version: '1' } },
      'tools/list': { tools: [{ name: 'work', inputSchema: { type: 'object' } }] } }[method] ?? { content: [] };
    process.stdout.write(JSON.stringify({ jsonrpc: '2.0', id, result }) + '\\n');
  }
});`;

it('are counted until they have ended, and beyond the limit a call is refused before it begins', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'tenon-processes-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const file = join(folder, 'pids');
  const { gateway } = startGateway({
    one: {
      command: process.execPath,
      args: ['-e', program, file],
      share: 'session',
      limits: { maxConnections: 2, queueMs: 1 },
    },
  });
  const url = await served(gateway.server);
  const running = (): number => readFileSync(file, 'utf8').trim().split('\n').map(Number).filter(isRunning).length;
  const outcomes: unknown[] = [];
  let most = 0;
  for (let n = 0; n < 6; n++) {
    const client = await openClient({ url }, { protocolVersions: [sessionVersion] });
    // The first process may take its time to start. Calls that are refused are sent again, but not for long.
    outcomes.push(
      await client.tools.call('work', {}, { maxTotalTimeoutMs: n === 0 ? 20_000 : 1000 }).then(
        () => 'done',
        () => 'refused',
      ),
    );
    await client.close();
    most = Math.max(most, running());
  }
  expect(outcomes[0]).toBe('done');
  expect(most).toBeLessThanOrEqual(4);
  // All of them are gone in the end, and there is room again.
  await expect.poll(running, { timeout: 10_000 }).toBe(0);
  const client = await openClient({ url }, { protocolVersions: [sessionVersion] });
  expect(await client.tools.call('work')).toMatchObject({ content: [] });
});
