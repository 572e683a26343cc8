/** Connected to and closed a thousand times, a client leaves nothing behind: no handle, no timer, no listener, no process. */

import { type Client, connect, createServer, protocolVersions, serveHttp, tool, toText } from 'tenon';
import { expect, it, onTestFinished } from 'vitest';
import { scaled } from '../../kit/long.ts';
import { isRunning } from '../../kit/process/is-running.ts';
import { byHand, program } from '../../kit/process/node-script.ts';
import { withTimeout } from '../../kit/with-timeout.ts';

const server = createServer({ name: 's', version: '1', tools: { pid: tool({}, () => 'here') } });

/** What keeps a process alive, by kind, and who listens to it. */
function held(): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const kind of process.getActiveResourcesInfo()) counts[kind] = (counts[kind] ?? 0) + 1;
  for (const name of process.eventNames()) counts[`on ${String(name)}`] = process.listenerCount(name);
  return counts;
}

const more = (before: Record<string, number>): string[] =>
  Object.entries(held()).flatMap(([kind, count]) => (count > (before[kind] ?? 0) ? `${kind}: ${count}` : []));

/** What is being let go of has a few turns to go. */
async function settled(before: Record<string, number>): Promise<string[]> {
  for (let turns = 0; turns < 1000 && more(before).length > 0; turns++)
    await new Promise((resolve) => setImmediate(resolve));
  return more(before);
}

/** Runs `count` cycles, `width` at once, and gives what each call answered. */
async function cycles(count: number, width: number, open: (n: number) => Promise<Client>): Promise<string[]> {
  const said: string[] = [];
  const lane = async (first: number): Promise<void> => {
    for (let n = first; n < count; n += width) {
      const client = await withTimeout(open(n), 'the connection');
      said.push(toText((await client.tools.call('pid')) as never));
      await withTimeout(client.close(), 'the end');
    }
  };
  await Promise.all(Array.from({ length: width }, (_, first) => lane(first)));
  return said;
}

const revision = (n: number) => ({
  protocolVersions: [protocolVersions[n % protocolVersions.length] as (typeof protocolVersions)[number]],
});

const processes = scaled(40, 100);
const connections = scaled(150, 450);

it(`${processes} processes leave no process, no pipe, no timer and no listener [S27]`, async () => {
  const script = byHand('reply(String(process.pid))');
  const open = (): Promise<Client> => connect(program(script), { protocolVersions: ['2025-06-18'] });
  const before = held();
  const pids = await cycles(processes, 10, open);
  expect(new Set(pids).size).toBe(processes);
  expect(pids.filter((pid) => isRunning(Number(pid)))).toEqual([]);
  expect(await settled(before)).toEqual([]);
});

it(`${connections} connections over HTTP leave no socket, no timer and no listener [S27]`, async () => {
  const service = await serveHttp(server, { port: 0 });
  onTestFinished(() => service.close());
  const open = (n: number): Promise<Client> => connect(service.url, revision(n));
  const before = held();
  expect(await cycles(connections, 15, open)).toHaveLength(connections);
  expect(await settled(before)).toEqual([]);
});

it(`${connections} connections within a process leave no timer and no listener [S27]`, async () => {
  const open = (n: number): Promise<Client> => connect(server, revision(n));
  const before = held();
  expect(await cycles(connections, 15, open)).toHaveLength(connections);
  expect(await settled(before)).toEqual([]);
});
