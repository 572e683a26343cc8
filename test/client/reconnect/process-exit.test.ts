/** Whether a process leaves while a client that nobody closed is there can be seen from outside alone. */
import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';

/** Runs a module and gives what it printed. A bad end rejects, and so does a process that stays. */
async function printed(body: string): Promise<string> {
  const program = `
    import { connect, createClient, createServer, tool } from './src/node/index.ts';
    ${body}`;
  const args = ['--import', 'tsx', '--input-type=module', '--eval', program];
  const cwd = fileURLToPath(new URL('../../..', import.meta.url));
  const { stdout } = await promisify(execFile)(process.execPath, args, { cwd, timeout: 60_000 });
  return stdout.trim();
}

it('a process leaves although its connection has not held for long', async () => {
  const body = `
    const server = createServer({ name: 's', version: '1', tools: { say: tool({}, () => 'said') } });
    const client = await connect(server, { reconnect: { resetAfterMs: 3_600_000 } });
    const { content } = await client.tools.call('say');
    console.log(content[0].text);`;
  expect(await printed(body)).toBe('said');
});

/** Nothing listens on the port of discarded data. */
const unreachable = (reconnect: string): string =>
  `const client = createClient('http://127.0.0.1:9/mcp', { reconnect: ${reconnect} });`;

it('a process leaves while a client that nobody waits for is about to connect again', async () => {
  const body = `
    ${unreachable('{ initialDelayMs: 3_600_000, maxDelayMs: 3_600_000 }')}
    await client.connection.ready().catch(() => {});
    console.log(client.connection.state);`;
  expect(await printed(body)).toBe('backoff');
});

it('a process stays while somebody waits for the next attempt, with or without a bound', async () => {
  const body = `
    ${unreachable('{ initialDelayMs: 50, maxDelayMs: 50 }')}
    const heard = () => client.connection.ready().catch(({ code }) => code);
    await heard();
    console.log(client.connection.state, await heard());
    const call = client.tools.call('say', {}, { timeoutMs: 500 }).catch(({ code }) => code);
    console.log(await call);`;
  expect(await printed(body)).toMatch(/^backoff connection-refused\n(timeout|circuit-open)$/);
});

it('a process stays while somebody hears of the states of a client that has not been connected', async () => {
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
