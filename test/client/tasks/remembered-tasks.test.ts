/** A client that is restarted finds its tasks: in a memory of its own, and in a file after SIGKILL. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { connect, createServer, type ProtocolVersion, serveHttp, type TaskMemory, taskFile, tool } from 'tenon';
import type { RememberedTask } from 'tenon/client';
import { describe, expect, it, onTestFinished } from 'vitest';
import { deferred } from '../../kit/deferred.ts';
import { bundledProgram } from '../../kit/process/bundled-program.ts';

function memory(): TaskMemory & { readonly tasks: RememberedTask[] } {
  const tasks: RememberedTask[] = [];
  const at = ({ taskId }: { readonly taskId: string }): number => tasks.findIndex((one) => one.taskId === taskId);
  return {
    tasks,
    read: async () => tasks,
    async add(task) {
      if (at(task) === -1) tasks.push(task);
    },
    async delete(task) {
      if (at(task) !== -1) tasks.splice(at(task), 1);
    },
  };
}

function heldServer() {
  const held = deferred();
  let runs = 0;
  const server = createServer({
    name: 'shop',
    version: '1.0.0',
    tools: {
      held: tool({ task: { support: 'required', pollIntervalMs: 50 } }, async () => {
        runs++;
        await held.promise;
        return 'released';
      }),
    },
  });
  return { server, release: () => held.resolve(), runs: () => runs };
}

const released = [{ type: 'text', text: 'released' }];

describe.each<ProtocolVersion>(['2026-07-28', '2025-11-25'])('a client of %s that remembers its tasks', (version) => {
  const protocolVersions = [version];

  it('lists them after a restart, gets their results, and forgets them then [ext-tasks-21]', async () => {
    const { server, release } = heldServer();
    const tasks = { memory: memory() };
    const first = await connect(server, { protocolVersions, tasks });
    const begun = deferred();
    const call = first.tools.call('held', {}, { onTask: () => begun.resolve() });
    call.catch(() => {});
    await begun.promise;
    await first.close();
    expect(tasks.memory.tasks).toMatchObject([{ server: 'shop', tool: 'held' }]);

    await using second = await connect(server, { protocolVersions, tasks });
    const [task] = await second.tasks.list().all();
    expect(task).toMatchObject({ status: 'working' });
    release();
    expect((await second.tasks.result(task?.taskId ?? '')).content).toEqual(released);
    expect(tasks.memory.tasks).toEqual([]);
  });

  it('follows the task of the same idempotency key without another call, and calls again once the server has forgotten it', async () => {
    const { server, release, runs } = heldServer();
    const tasks = { memory: memory() };
    const first = await connect(server, { protocolVersions, tasks });
    const begun = deferred();
    first.tools.call('held', {}, { idempotencyKey: 'k', onTask: () => begun.resolve() }).catch(() => {});
    await begun.promise;
    await first.close();

    // Another server with the same name does not know the task, and takes the call.
    const other = heldServer();
    other.release();
    const elsewhere = { memory: memory() };
    elsewhere.memory.tasks.push(...tasks.memory.tasks);
    await using third = await connect(other.server, { protocolVersions, tasks: elsewhere });
    expect((await third.tools.call('held', {}, { idempotencyKey: 'k' })).content).toEqual(released);
    expect(other.runs()).toBe(1);

    await using second = await connect(server, { protocolVersions, tasks });
    release();
    const calls: string[] = [];
    const result = await second.tools.call(
      'held',
      {},
      { idempotencyKey: 'k', onTask: ({ taskId }) => void calls.push(taskId) },
    );
    expect(result.content).toEqual(released);
    expect(calls).toHaveLength(1);
    expect(runs()).toBe(1);
    expect(tasks.memory.tasks).toEqual([]);
  });

  it('refuses the key of a remembered call for other arguments', async () => {
    const { server } = heldServer();
    const tasks = { memory: memory() };
    const client = await connect(server, { protocolVersions, tasks });
    const begun = deferred();
    client.tools.call('held', {}, { idempotencyKey: 'k', onTask: () => begun.resolve() }).catch(() => {});
    await begun.promise;
    const other = client.tools.call('held', { n: 2 }, { idempotencyKey: 'k' });
    await expect(other).rejects.toMatchObject({ code: 'invalid-argument', details: { place: 'idempotencyKey' } });
    await client.close();
  });
});

it('a client that cannot remember a task says so, and names the task', async () => {
  const { server } = heldServer();
  const broken: TaskMemory = { ...memory(), add: () => Promise.reject(new Error('disk full')) };
  await using client = await connect(server, { tasks: { memory: broken } });
  await expect(client.tools.call('held')).rejects.toMatchObject({
    code: 'store-failed',
    details: { taskId: expect.any(String) },
  });
});

const program = await bundledProgram('task-client', 'tasks');

/** Runs the program; `lines` has what it printed until it ended, or until `killAt` lines came and it was killed. */
async function run(args: readonly string[], killAt?: number): Promise<string[]> {
  const child = spawn(process.execPath, [program, ...args], { stdio: ['ignore', 'pipe', 'inherit'] });
  onTestFinished(() => void child.kill('SIGKILL'));
  const lines: string[] = [];
  const closed = once(child, 'close');
  for await (const line of createInterface({ input: child.stdout })) {
    if (lines.push(line) === killAt) child.kill('SIGKILL');
  }
  await closed;
  return lines;
}

it('a process that was killed while it followed a task is replaced by one that gets the result', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'tenon-tasks-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  const file = join(folder, 'tasks.json');
  const { server, release, runs } = heldServer();
  const service = await serveHttp(server, { port: 0 });
  onTestFinished(() => service.close());
  const url = String(service.url);
  const [taskId] = await run([url, file, 'k'], 1);
  expect(await taskFile(file).read()).toMatchObject([
    { server: expect.stringContaining('http'), taskId, tool: 'held' },
  ]);
  release();
  expect(await run([url, file, 'k'])).toEqual([taskId, JSON.stringify(released)]);
  expect(runs()).toBe(1);
  expect(await taskFile(file).read()).toEqual([]);
});
