/** Whether a process exits while it has an open client: each test runs a process of its own. */
import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';

/** Runs a module and returns what it printed. Rejects on a failing exit code and on a process that does not exit. */
async function printed(body: string): Promise<string> {
  const program = `
    import { connect, createClient, createServer, tool } from 'tenon';
    import { withFixed } from './test/kit/fixed-limits.ts';
    ${body}`;
  const args = ['--import', 'tsx', '--input-type=module', '--eval', program];
  const cwd = fileURLToPath(new URL('../../..', import.meta.url));
  const { stdout } = await promisify(execFile)(process.execPath, args, { cwd, timeout: 240_000 });
  return stdout.trim();
}

it('a process exits while the reset timer of a new connection is pending', async () => {
  const body = `
    const server = createServer({ name: 's', version: '1', tools: { say: tool({}, () => 'said') } });
    const client = await connect(server, { reconnect: withFixed({}, { resetAfterMs: 3_600_000 }) });
    const { content } = await client.tools.call('say');
    console.log(content[0].text);`;
  expect(await printed(body)).toBe('said');
});

/** Port 9 (discard): no server listens on it. */
const unreachable = (reconnect: string): string =>
  `const client = createClient('http://127.0.0.1:9/mcp', { reconnect: ${reconnect} });`;

it('a process exits while a client without waiting calls is in backoff', async () => {
  const body = `
    ${unreachable('{ initialDelayMs: 3_600_000, maxDelayMs: 3_600_000 }')}
    await client.connection.ready().catch(() => {});
    console.log(client.connection.state);`;
  expect(await printed(body)).toBe('backoff');
});

it('a process stays while a call or ready() waits for the next attempt', async () => {
  const body = `
    ${unreachable('{ initialDelayMs: 50, maxDelayMs: 50 }')}
    const errorCode = () => client.connection.ready().catch(({ code }) => code);
    await errorCode();
    console.log(client.connection.state, await errorCode());
    const call = client.tools.call('say', {}, { timeoutMs: 500 }).catch(({ code }) => code);
    console.log(await call);`;
  expect(await printed(body)).toMatch(/^backoff connection-refused\n(timeout|circuit-open)$/);
});

it('a process stays while a state listener is on a client that has never connected', async () => {
  const body = `
    ${unreachable('{ initialDelayMs: 50, maxDelayMs: 50 }')}
    await client.connection.ready().catch(() => {});
    let attempts = 0;
    await new Promise((resolve) => {
      client.connection.on('state', ({ to }) => {
        if (to === 'backoff' && ++attempts === 3) resolve();
      });
    });
    console.log(attempts);
    await client.close();`;
  expect(await printed(body)).toBe('3');
});
