/** Servers whose lists never end: what a client stores of a list is bounded, and a call that lists ends in its own time. */
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { type ConnectOptions, connect } from 'tenon';
import { fromJsonSchema } from 'tenon/json-schema';
import { createFakeClock } from 'tenon/test';
import { describe, expect, it } from 'vitest';
import { withClock } from '../../../src/lib/time/internal-deadlines.ts';
import { scriptedServer } from '../../host/scripted-server.ts';
import { deferred } from '../../kit/deferred.ts';
import { bundledProgram } from '../../kit/process/bundled-program.ts';
import type { EndlessListReport } from '../fixtures/endless-list.ts';

describe('all() of a list that never ends', async () => {
  const fixture = await bundledProgram('endless-list', 'attacks');

  it.each([
    ['many items', 'list-too-long', 'The list of tools has more than 10000 items', 101],
    ['large items', 'list-too-long', 'The list of tools has more than 33554432 characters', 32],
    ['large cursors', 'list-too-long', 'The list of tools has more than 33554432 characters', 32],
    ['many values', 'list-too-long', 'The list of tools has more than 33554432 characters', 32],
    ['no items', 'invalid-result', 'The list of tools has more than 10000 pages', 10_000],
  ])('fails with a named error for %s, in a heap of 512 MB [S24]', async (kind, code, message, pages) => {
    const { stdout } = await promisify(execFile)(process.execPath, [
      '--max-old-space-size=512',
      fixture,
      `an endless list of ${kind}`,
    ]);
    const report = JSON.parse(stdout) as EndlessListReport;
    expect(report).toMatchObject({ code, message: expect.stringContaining(message), pages });
    expect(report.peakMb).toBeLessThan(450);
  });
});

it('the lists of 30 such servers fit into a host with a heap of 512 MB [S24, S30]', async () => {
  const fixture = await bundledProgram('endless-list', 'attacks');
  const args = ['--max-old-space-size=512', fixture, '30 endless lists in a host'];
  const { stdout } = await promisify(execFile)(process.execPath, args);
  const report = JSON.parse(stdout) as EndlessListReport;
  const message = expect.stringContaining('The list of tools has more than 4194304 characters');
  expect(report).toMatchObject({ code: 'list-too-long', message, pages: 30 * 4 });
  expect(report.peakMb).toBeLessThan(450);
});

describe('a list', () => {
  const endless = (): ReturnType<typeof scriptedServer> => {
    let page = 0;
    return scriptedServer(() => ({
      tools: [{ name: `t${++page}`, inputSchema: { type: 'object' } }],
      nextCursor: `${page}`,
    }));
  };

  it('has the limits that the client sets, also page by page', async () => {
    await using client = await connect(endless(), { limits: { maxListItems: 3 } });
    const tooLong = { code: 'list-too-long', details: { list: 'tools', limit: 3 } };
    await expect(client.tools.list().all()).rejects.toMatchObject(tooLong);
    const names: string[] = [];
    const iterating = (async () => {
      for await (const { name } of client.tools.list()) names.push(name);
    })();
    await expect(iterating).rejects.toMatchObject(tooLong);
    expect(names).toHaveLength(3);
  });

  it('has the whole time of a call for all of its pages', async () => {
    const clock = createFakeClock();
    const third = deferred();
    let page = 0;
    const slow = scriptedServer(() => {
      if (++page < 3) {
        clock.advance(400);
        return { tools: [], nextCursor: `${page}` };
      }
      third.resolve();
      return undefined;
    });
    await using client = await connect(slow, { ...withClock(clock), timeoutMs: 500, timeouts: { maxTotalMs: 1000 } });
    const listing = client.tools.list().all();
    await third.promise;
    clock.advance(200);
    await expect(listing).rejects.toMatchObject({ code: 'timeout', details: { maxTotalTimeoutMs: 1000 } });
  });
});

describe('a call whose output is checked by a list that never ends', () => {
  /** The list is requested and never answered. */
  async function calling(options: ConnectOptions, callOptions: object) {
    const clock = createFakeClock();
    const listed = deferred();
    const server = scriptedServer((method) => {
      if (method === 'ping') return {};
      if (method === 'tools/call') return { content: [], structuredContent: {} };
      listed.resolve();
      return undefined;
    });
    const client = await connect(server, { ...withClock(clock), jsonSchemaValidator: fromJsonSchema, ...options });
    const call = client.tools.call('x', {}, callOptions);
    const failed = call.catch((error) => error);
    await listed.promise;
    return { client, clock, server, failed };
  }

  it.each([
    ['timeoutMs of the client', { timeoutMs: 1000 }, {}],
    ['timeoutMs of the call', {}, { timeoutMs: 1000 }],
    ['maxTotalTimeoutMs of the call', {}, { maxTotalTimeoutMs: 1000 }],
  ])('ends with the %s [S24]', async (_, options, callOptions) => {
    const { client, clock, server, failed } = await calling(options, callOptions);
    clock.advance(1000);
    expect(await failed).toMatchObject({
      code: 'timeout',
      message: expect.stringContaining('tools/call "x" was answered, but its output could not be checked'),
      details: { method: 'tools/list', tool: 'x', timeoutMs: 1000 },
    });
    // No other call waits for the list, so it is cancelled.
    expect(server.received.at(-1)).toContain('notifications/cancelled');
    await client.close({ timeoutMs: 1 });
  });

  it('ends with its signal, and a call that shares the list still waits for it [S24]', async () => {
    const controller = new AbortController();
    const { client, clock, server, failed } = await calling({}, { signal: controller.signal });
    const other = client.tools.call('y', {}, { timeoutMs: 1000 }).catch((error) => error);
    await client.ping();
    controller.abort();
    expect(await failed).toMatchObject({ code: 'cancelled' });
    expect(server.received.filter((text) => text.includes('tools/list'))).toHaveLength(1);
    expect(server.received.at(-1)).not.toContain('notifications/cancelled');
    clock.advance(1000);
    expect(await other).toMatchObject({ code: 'timeout', details: { tool: 'y' } });
    await client.close({ timeoutMs: 1 });
  });

  it('ends with the limit on the items of a list', async () => {
    let page = 0;
    const server = scriptedServer((method) =>
      method === 'tools/call'
        ? { content: [], structuredContent: {} }
        : { tools: [{ name: `t${++page}`, inputSchema: { type: 'object' } }], nextCursor: `${page}` },
    );
    await using client = await connect(server, { jsonSchemaValidator: fromJsonSchema, limits: { maxListItems: 50 } });
    await expect(client.tools.call('x')).rejects.toMatchObject({ code: 'list-too-long' });
    expect(page).toBe(51);
  });
});
