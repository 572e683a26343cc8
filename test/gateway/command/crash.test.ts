/** A gateway is killed while a task of an upstream runs: the next one follows the same task. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { createServer, serveHttp, tool } from 'tenon';
import { expect, it, onTestFinished } from 'vitest';
import { openStore } from '../../../src/node/open-store.ts';
import { newestSession } from '../../../src/protocol/revisions/revisions.ts';
import { program } from '../../cli/program.ts';
import { deferred } from '../../kit/deferred.ts';
import { exchangeVersion } from '../../kit/version-order.ts';
import { withTimeout } from '../../kit/with-timeout.ts';
import { folderWith } from '../config/file.ts';
import { clientOf, freePort, textOf } from './serving.ts';

async function started(cwd: string): Promise<{ readonly child: ChildProcess; readonly url: string }> {
  const { command, args } = program('gateway', '--config', 'gateway.yaml', '--json');
  const child = spawn(command, args, { cwd, stdio: ['ignore', 'pipe', 'inherit'] });
  onTestFinished(() => void child.kill('SIGKILL'));
  const [line] = (await once(createInterface({ input: child.stdout as never }), 'line')) as [string];
  return { child, url: JSON.parse(line).result.url };
}

const seal = 'x'.repeat(32);

/** Its caller has the task before the store knows that. */
async function isAnnounced(url: string, taskId: string): Promise<void> {
  const store = await openStore(url, { encryption: { keys: [seal] } });
  await expect.poll(async () => (await store.tasks?.read(taskId))?.data).not.toContain('isUnannounced');
  await store.close();
}

it.each([newestSession.id, exchangeVersion])(
  'a task goes on after SIGKILL, and runs once, by %s',
  async (version) => {
    const begun = deferred();
    const finish = deferred();
    let runs = 0;
    const upstream = createServer({
      name: 'reports',
      version: '1.0.0',
      tools: {
        report: tool({ task: { support: 'required', pollIntervalMs: 50 } }, async (_args, ctx) => {
          await ctx.step('count', () => ++runs);
          begun.resolve();
          await finish.promise;
          return 'reported';
        }),
      },
    });
    const followed = deferred();
    const { url: at, close } = await serveHttp(upstream, {
      port: 0,
      tap: (event) => {
        if (event.kind === 'message' && event.from === 'client' && event.text.includes('"tasks/')) followed.resolve();
      },
    });
    onTestFinished(() => close());
    const folder = folderWith({
      'secrets.yaml': `seal: ${seal}\n`,
      'gateway.yaml': `listen: 127.0.0.1:${await freePort()}\nstore: sqlite:./gateway.db\nsecretsFile: secrets.yaml\nsecrets: [seal]\nupstreams:\n  reports: { url: '${at}', protocolVersions: ['${newestSession.id}'] }\n`,
    });
    const first = await started(folder.path);
    const options = { protocolVersions: [version as never] };
    const client = await clientOf(first.url, options);
    const created = deferred<string>();
    const call = client.tools.call('report', {}, { task: true, onTask: ({ taskId }) => created.resolve(taskId) });
    call.catch(() => {});
    const taskId = await withTimeout(created.promise, 'the task');
    await withTimeout(begun.promise, 'the run');
    // A gateway follows a task once it has stored its ID. Before that, its outcome would be unknown.
    await withTimeout(followed.promise, 'the gateway');
    await isAnnounced(`sqlite:${folder.path}/gateway.db`, taskId);
    first.child.kill('SIGKILL');
    await once(first.child, 'exit');
    const second = await started(folder.path);
    const other = await clientOf(second.url, options);
    const result = other.tasks.result(taskId);
    finish.resolve();
    // The lease of the process that was killed has to lapse first.
    expect(textOf(await withTimeout(result, 'the result', 60_000))).toBe('reported');
    expect(runs).toBe(1);
  },
  90_000,
);
