/** Clients that connect and close many times leave nothing behind: no handle, no timer, no listener, no process. */
import { type Client, connect, createServer, serveHttp, tool, toText } from 'tenon';

import { protocolVersions } from 'tenon/protocol';
import { expect, it, onTestFinished } from 'vitest';
import { scaled } from '../../kit/long.ts';
import { isRunning } from '../../kit/process/is-running.ts';
import { program, rawServerScript } from '../../kit/process/node-script.ts';
import { withTimeout } from '../../kit/with-timeout.ts';

const server = createServer({ name: 's', version: '1', tools: { pid: tool({}, () => 'here') } });

/** Counts the active resources and the event listeners of this process. */
function activeResources(): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const kind of process.getActiveResourcesInfo()) counts[kind] = (counts[kind] ?? 0) + 1;
  for (const name of process.eventNames()) counts[`on ${String(name)}`] = process.listenerCount(name);
  return counts;
}

const leftovers = (before: Record<string, number>): string[] =>
  Object.entries(activeResources()).flatMap(([kind, count]) =>
    count > (before[kind] ?? 0) ? `${kind}: ${count}` : [],
  );

/** Waits for resources that are being closed, without a timer, which would be one more. */
async function leftoversAfterClose(before: Record<string, number>): Promise<string[]> {
  const until = performance.now() + 60_000;
  while (leftovers(before).length > 0 && performance.now() < until)
    await new Promise((resolve) => setImmediate(resolve));
  return leftovers(before);
}

/** Runs `count` cycles, `width` in parallel, and returns the text of each call. */
async function cycles(count: number, width: number, open: (n: number) => Promise<Client>): Promise<string[]> {
  const texts: string[] = [];
  const lane = async (first: number): Promise<void> => {
    for (let n = first; n < count; n += width) {
      const client = await withTimeout(open(n), 'the connection');
      texts.push(toText((await client.tools.call('pid')) as never));
      await withTimeout(client.close(), 'the client to close');
    }
  };
  await Promise.all(Array.from({ length: width }, (_, first) => lane(first)));
  return texts;
}

const revision = (n: number) => ({
  protocolVersions: [protocolVersions[n % protocolVersions.length] as (typeof protocolVersions)[number]],
});

const processes = scaled(40, 100);
const connections = scaled(150, 450);

it(`${processes} processes leave no process, no pipe, no timer and no listener [S27]`, async () => {
  const script = rawServerScript('reply(String(process.pid))');
  const open = (): Promise<Client> => connect(program(script), { protocolVersions: ['2025-06-18'] });
  const before = activeResources();
  const pids = await cycles(processes, 10, open);
  expect(new Set(pids).size).toBe(processes);
  expect(pids.filter((pid) => isRunning(Number(pid)))).toEqual([]);
  expect(await leftoversAfterClose(before)).toEqual([]);
});

it(`${connections} connections over HTTP leave no socket, no timer and no listener [S27]`, async () => {
  const service = await serveHttp(server, { port: 0 });
  onTestFinished(() => service.close());
  const open = (n: number): Promise<Client> => connect(service.url, revision(n));
  const before = activeResources();
  expect(await cycles(connections, 15, open)).toHaveLength(connections);
  expect(await leftoversAfterClose(before)).toEqual([]);
});

it(`${connections} connections in memory leave no timer and no listener [S27]`, async () => {
  const open = (n: number): Promise<Client> => connect(server, revision(n));
  const before = activeResources();
  expect(await cycles(connections, 15, open)).toHaveLength(connections);
  expect(await leftoversAfterClose(before)).toEqual([]);
});
