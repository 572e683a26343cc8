/** Whether a Node process stays or leaves while a request waits can be seen from outside alone. */
import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';

/** Runs a module with `peer` in it, whose other side is silent, and gives what it printed. A bad end rejects. */
async function printed(body: string): Promise<string> {
  const program = `
    import { createPeer } from './src/jsonrpc/create-peer.ts';
    const peer = createPeer({ send() {}, request() {}, notification() {} });
    ${body}`;
  const args = ['--import', 'tsx', '--input-type=module', '--eval', program];
  const cwd = fileURLToPath(new URL('../..', import.meta.url));
  const { stdout } = await promisify(execFile)(process.execPath, args, { cwd, timeout: 240_000 });
  return stdout.trim();
}

test('a process with nothing else to do stays until its request times out', async () => {
  const body = `await peer.request('a', {}, { timeoutMs: 50 }).catch(({ code }) => console.log(code));`;
  expect(await printed(body)).toBe('timeout');
});

test('a process leaves when its request is answered, long before the time-out', async () => {
  const body = `
    const answer = peer.request('a', {}, { timeoutMs: 3_600_000 });
    peer.receive('{"jsonrpc":"2.0","id":1,"result":"fine"}');
    console.log(await answer);`;
  expect(await printed(body)).toBe('fine');
});
