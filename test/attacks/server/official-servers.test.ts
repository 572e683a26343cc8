/** Servers of the official SDK behind the bridge: one caller fills neither their memory nor their instances, and holds none up. */
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { McpServer as ServerV1 } from '@modelcontextprotocol/sdk/server/mcp.js';
import { McpServer as ServerV2 } from '@modelcontextprotocol/server';
import { createServer, serveHttp, tool } from 'tenon';
import { fromOfficial, sdkHandler } from 'tenon/official';
import { describe, expect, it, onTestFinished } from 'vitest';
import { deferred } from '../../kit/deferred.ts';
import { loneCall } from '../../kit/http/messages.ts';
import { dial, written } from '../../kit/http/raw-socket.ts';
import { bundledProgram } from '../../kit/process/bundled-program.ts';
import type { OfficialServerReport } from '../fixtures/official-servers.ts';

const fixture = await bundledProgram('official-servers', 'attacks');

/** Runs an attack with a heap of 256 MB. A process that runs out of memory fails the test. */
async function attacked(name: string): Promise<OfficialServerReport> {
  const { stdout } = await promisify(execFile)(process.execPath, ['--max-old-space-size=256', fixture, name]);
  return JSON.parse(stdout) as OfficialServerReport;
}

const refused = 'Too many calls wait for answers of their clients.';

describe('a client that never answers', () => {
  it.each([
    ['large calls of a bridged server', `200 MCP error -32603: ${refused}`],
    ['large calls of converted handlers', `200 ${refused}`],
  ])('has as many %s as fit into its share of characters [S24, S36]', async (name, refusal) => {
    const { answers, other } = await attacked(name);
    // A third of 32 Mi characters: an address shares what callers without a principal may have.
    expect(answers).toEqual({ '200 input_required': 3, [refusal]: 97 });
    expect(other).toBe('200 quick');
  });

  it('uses no more instances of a bridged server than it leaves to others [S24, S36]', async () => {
    const { answers, other } = await attacked('small calls of a bridged server');
    expect(answers['200 input_required']).toBe(34);
    expect(other).toBe('200 quick');
  });
});

it('a URI that the SDK would compare with a template for hours is refused [S24, S36]', async () => {
  const { answers, other } = await attacked('a URI of dashes for a template with dashes');
  const refusal = 'The URI is too long for a template of several variables between two slashes';
  expect(answers).toEqual({ [`200 ${refusal}`]: 1 });
  expect(other).toBe('200 quick');
});

type Served = Parameters<typeof serveHttp>[0];
/** Its last argument is what the SDK passes. */
type Handler = (...given: readonly unknown[]) => Promise<{ content: [] }>;

const info = { name: 'a', version: '1' };
const servers: readonly (readonly [name: string, create: (hold: Handler) => Served | Promise<Served>])[] = [
  ['a server of SDK v1', (hold) => fromOfficial(() => withTool(new ServerV1(info), hold))],
  ['a server of SDK v2', (hold) => fromOfficial(() => withTool(new ServerV2(info), hold))],
  ['sdkHandler()', (hold) => createServer({ ...info, tools: { hold: tool({}, sdkHandler(hold) as never) } })],
];

function withTool<S extends ServerV1 | ServerV2>(server: S, hold: Handler): S {
  (server as ServerV1).registerTool('hold', {}, hold as never);
  return server;
}

const signalIn = (given: readonly unknown[]): AbortSignal => {
  const { signal, mcpReq } = given.at(-1) as { signal?: AbortSignal; mcpReq?: { signal: AbortSignal } };
  return (signal ?? mcpReq?.signal) as AbortSignal;
};

it.each(servers)(
  'handlers of %s that go on when their clients disconnect count until they return [S24, S37]',
  async (_, create) => {
    let [running, most, aborted] = [0, 0, 0];
    const { promise: released, resolve: release } = deferred();
    const server = await create(async (...given) => {
      most = Math.max(most, ++running);
      signalIn(given).addEventListener('abort', () => aborted++);
      await released;
      running--;
      return { content: [] };
    });
    const service = await serveHttp(server, { port: 0, limits: { maxConcurrentCalls: 6 }, onWarning() {} });
    onTestFinished(() => service.close());
    for (let call = 0; call < 9; call++) {
      const before = running;
      const { socket, text } = dial(service);
      socket.write(written(loneCall('hold')));
      const isIn = (): boolean => running > before || service.stats().waitingCalls > 0 || text() !== '';
      await expect.poll(isIn, { interval: 5 }).toBe(true);
      socket.destroy();
      await expect.poll(() => [aborted, service.stats().waitingCalls], { interval: 5 }).toEqual([running, 0]);
    }
    // Half of the slots: the callers have no principal, and one address.
    expect([running, most, service.stats().activeCalls]).toEqual([3, 3, 3]);
    release();
    await expect.poll(() => [running, service.stats().activeCalls]).toEqual([0, 0]);
  },
);
