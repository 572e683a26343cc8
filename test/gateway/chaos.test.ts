/** Calls that ask their callers, through a gateway that is reloaded and killed, to processes of which one is killed: no effect twice. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as after } from 'node:timers/promises';
import { type Client, connect, RpcError, TenonError, toText } from 'tenon';
import { generateApiKey } from 'tenon/auth';
import { expect, it, onTestFinished } from 'vitest';
import { outcomeOf } from '../../src/client/retry/failure-outcome.ts';
import { program } from '../cli/program.ts';
import { bundledProgram } from '../kit/process/bundled-program.ts';
import { createRandom } from '../kit/process/hostile-lines.ts';
import { exchangeVersion, sessionVersions } from '../kit/version-order.ts';
import { freePort } from './command/serving.ts';
import { folderWith } from './config/file.ts';

const session = sessionVersions.at(-1) as string;
const users = ['ada', 'bob', 'eve', 'joe'];
const callsOfEach = 25;
const calls = users.length * 2 * callsOfEach;
const reloads = 20;

/** How a call ended: with its result, or with the last error of several attempts. */
interface Ending {
  readonly id: string;
  readonly text?: string;
  readonly error?: unknown;
}

/** A gateway as a process that starts again at the same address. */
async function gatewayOf(file: string) {
  const port = await freePort();
  const keys = await Promise.all(users.map(async (subject) => ({ subject, ...(await generateApiKey()) })));
  const server = await bundledProgram('orders', 'gateway');
  const textOf = (generation: number): string => `listen: 127.0.0.1:${port}
protect:
  apiKeys:
${keys.map(({ id, hash, subject }) => `    - { id: ${id}, hash: ${hash}, subject: ${subject} }`).join('\n')}
secretsFile: secrets.yaml
secrets: [seal]
store: sqlite:./gateway.db
upstreams:
  orders:
    command: '${process.execPath}'
    args: ['${server}', '${file}', '${session}']
    env: { GENERATION: '${generation}' }
    limits: { queueMs: 60000 }
`;
  const folder = folderWith({
    'secrets.yaml': 'seal: what-a-test-seals-with-and-nothing-else\n',
    'gateway.yaml': textOf(0),
  });
  const lines: string[] = [];
  let child: ChildProcess | undefined;
  onTestFinished(() => void child?.kill('SIGKILL'));
  return {
    url: `http://127.0.0.1:${port}/mcp`,
    keyOf: (user: string) => keys.find(({ subject }) => subject === user)?.key as string,
    lines,
    async start(): Promise<void> {
      const { command, args } = program('gateway', '--config', 'gateway.yaml', '--json');
      const started = spawn(command, args, { cwd: folder.path, stdio: ['ignore', 'pipe', 'pipe'] });
      child = started;
      createInterface({ input: started.stderr }).on('line', (line) => lines.push(line));
      const ready = once(createInterface({ input: started.stdout }), 'line');
      await Promise.race([ready, once(started, 'exit').then(() => Promise.reject(new Error(lines.join('\n'))))]);
    },
    async kill(): Promise<void> {
      const exited = once(child as ChildProcess, 'exit');
      child?.kill('SIGKILL');
      await exited;
    },
    reload(generation: number): void {
      folder.write('gateway.yaml', textOf(generation));
      child?.kill('SIGHUP');
    },
  };
}

/** Sends a call until it has a result, or its outcome is unknown for good. Repeats have the same key. */
async function endingOf(client: Client, id: string): Promise<Ending> {
  let last: unknown;
  for (let attempt = 0; attempt < 12; attempt++) {
    try {
      return { id, text: toText(await client.tools.call('order', { id }, { idempotencyKey: id })) };
    } catch (error) {
      last = error;
      if (outcomeOf(error) === 'settled' && !(error instanceof TenonError)) break;
      await after(500);
    }
  }
  return { id, error: last };
}

it(`${calls} calls have their effect once, or not at all, and a result or an error with a name`, async (context) => {
  if (process.platform === 'win32') context.skip('Windows has no SIGHUP');
  const { path } = folderWith();
  const file = join(path, 'effects');
  writeFileSync(file, '');
  const effects = (): string[] => readFileSync(file, 'utf8').split('\n').slice(0, -1);
  const gateway = await gatewayOf(file);
  await gateway.start();
  const random = createRandom(7);
  const clients = await Promise.all(
    users.flatMap((user) =>
      [session, exchangeVersion].map(async (version) => {
        const client = await connect(
          { url: gateway.url, headers: { 'x-api-key': gateway.keyOf(user) } },
          {
            protocolVersions: [version as never],
            timeoutMs: 60_000,
            onWarning: () => {},
            handlers: {
              elicitForm: async () => {
                await after(random() * 40);
                return { action: 'accept', content: { text: 'yes' } };
              },
            },
          },
        );
        onTestFinished(() => client.close());
        return { name: `${user}-${version}`, client };
      }),
    ),
  );
  const endings: Ending[] = [];
  const sent = clients.map(async ({ name, client }) => {
    let next = 0;
    const one = async (): Promise<void> => {
      while (next < callsOfEach) endings.push(await endingOf(client, `${name}-${next++}`));
    };
    await Promise.all([one(), one()]);
  });
  let isOver = false;
  const all = Promise.all(sent).finally(() => {
    isOver = true;
  });
  const until = async (count: number): Promise<void> => {
    await expect.poll(() => isOver || effects().length >= count, { timeout: 120_000 }).toBe(true);
  };
  for (let generation = 1; generation <= reloads; generation++) {
    await until((calls * generation) / (reloads + 5));
    gateway.reload(generation);
    if (generation === 5) process.kill(Number(effects().at(-1)?.split(' ')[1]), 'SIGKILL');
    if (generation === 12) {
      await gateway.kill();
      await gateway.start();
    }
  }
  await all;
  const ids = effects().map((line) => line.split(' ')[0] as string);
  expect(ids.filter((id, at) => ids.indexOf(id) !== at)).toEqual([]);
  expect(endings).toHaveLength(calls);
  const answered = endings.filter(({ text }) => text !== undefined);
  for (const { id, text } of answered)
    expect({ text, isThere: ids.includes(id) }).toEqual({ text: `${id} accept accept`, isThere: true });
  const failed = endings.filter(({ text }) => text === undefined);
  const unnamed = failed.filter(({ error }) => !(error instanceof TenonError) && !(error instanceof RpcError));
  expect(unnamed).toEqual([]);
  const reasons = failed.map(({ error }) => {
    const { message } = error as Error;
    return { name: error instanceof TenonError ? error.code : (error as RpcError).reason, message };
  });
  expect(reasons.filter(({ name }) => name === 'internal-error')).toEqual([]);
  // Only what was under way at a process that was killed is lost.
  const isMost = answered.length > calls * 0.8;
  expect({ isMost, reasons: isMost ? [] : reasons }).toEqual({ isMost: true, reasons: [] });
  expect(gateway.lines.filter((line) => line.includes('was reloaded')).length).toBeGreaterThan(reloads / 2);
}, 300_000);
