/** The cluster example, run as a user would: one session at three nodes, one of them killed, and nothing left behind. */
import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { connect, toText } from 'tenon';
import { describe, expect, it, onTestFinished, type TestContext } from 'vitest';
import { freePort, missingPrograms } from '../../examples/cluster/programs.ts';
import { root } from '../architecture/source-tree.ts';
import { isRunning } from '../kit/process/is-running.ts';
import { eachLine } from '../kit/process/raw-process.ts';
import { requires } from '../kit/requires.ts';
import { type EngineName, engineNames, engines } from '../kit/stores/engines.ts';
import { withTimeout } from '../kit/with-timeout.ts';

const pidsIn = (lines: readonly string[]): number[] =>
  lines.flatMap((line) => /, process (\d+)$/.exec(line)?.[1] ?? []).map(Number);
const folders = (): string[] => readdirSync(tmpdir()).filter((name) => name.startsWith('tenon-cluster-'));

async function startExample(args: readonly string[], port: number, store = '') {
  const command = ['--import', 'tsx', 'examples/cluster/main.ts', ...args];
  const env = { ...process.env, PORT: String(port), CLUSTER_STORE: store };
  const child = spawn(process.execPath, command, { cwd: root, env });
  onTestFinished(() => void child.kill('SIGTERM'));
  const lines: string[] = [];
  const waiting = new Set<() => void>();
  for (const stream of [child.stdout, child.stderr])
    eachLine(stream, (line) => {
      lines.push(line);
      for (const check of waiting) check();
    });
  const printed = (text: string): Promise<void> =>
    withTimeout(
      new Promise((resolve) => waiting.add(() => lines.some((line) => line.startsWith(text)) && resolve())),
      `"${text}" of ${JSON.stringify(lines)}`,
      100_000,
    );
  return { child, lines, printed };
}

async function exitOf(child: ChildProcessWithoutNullStreams): Promise<unknown> {
  const [code] = await withTimeout(once(child, 'close'), 'the example to exit', 100_000);
  return code;
}

const programs = ['redis-server', 'nginx'] as const;

/** The URL of a store; that of Redis is empty, since the example starts it. */
async function storeOf(name: EngineName, context: TestContext): Promise<string> {
  requires(context, missingPrograms(programs) ?? engines[name].missing);
  if (name === 'redis') return '';
  const started = await engines[name].start();
  onTestFinished(() => started.close());
  const { url } = started.next();
  // A password that this server does not ask for, and that must not be shown.
  return url.replace('@', ':secret-password@');
}

describe('examples/cluster', () => {
  it.for(engineNames)(
    'on %s serves one session at three nodes, and at the other two when one is killed [S31]',
    async (name, context) => {
      const store = await storeOf(name, context);
      const before = folders();
      const { child, lines } = await startExample(['--once'], await freePort(), store);
      expect([await exitOf(child), lines.at(-1)]).toEqual([0, 'All processes have ended.']);
      const servers = (start: string): Set<string> =>
        new Set(
          lines
            .find((line) => line.startsWith(start))
            ?.split('served by: ')[1]
            ?.split(', '),
        );
      expect(servers('One session')).toEqual(new Set(['node 1', 'node 2', 'node 3']));
      const victim = /^(node \d) is killed during a call/m.exec(lines.join('\n'))?.[1] ?? '';
      expect(servers(`${victim} is killed`)).toEqual(
        new Set(['node 1', 'node 2', 'node 3'].filter((name) => name !== victim)),
      );
      expect(lines).toContain(`The call that ${victim} ran ended with: outcome-unknown`);
      expect(lines.find((line) => line.startsWith('A call with progress'))).toContain('(1, 2, 3)');
      expect(lines.find((line) => line.startsWith('An elicitation'))).toContain('ordered 2 of tea');
      // With nginx, a node that was started again, and Redis.
      expect(pidsIn(lines)).toHaveLength(name === 'redis' ? 6 : 5);
      expect(lines.join('\n')).not.toContain('secret-password');
      expect(pidsIn(lines).filter(isRunning)).toEqual([]);
      expect(folders()).toEqual(before);
    },
  );

  it('runs until Ctrl+C, and then ends all processes', async (context) => {
    requires(context, missingPrograms(programs));
    const port = await freePort();
    const { child, lines, printed } = await startExample([], port);
    await printed('Serving at ');
    const client = await connect(`http://127.0.0.1:${port}/mcp`);
    expect(toText(await client.tools.call('where'))).toMatch(/^node [123]$/);
    await client.close();
    child.kill('SIGINT');
    expect(await exitOf(child)).toBe(0);
    expect(pidsIn(lines).filter(isRunning)).toEqual([]);
  });

  it('says how to get Redis and nginx where they are missing', async () => {
    const command = ['--import', 'tsx', 'examples/cluster/main.ts'];
    const child = spawn(process.execPath, command, { cwd: root, env: { ...process.env, PATH: '/nowhere' } });
    let output = '';
    child.stderr.on('data', (chunk) => (output += String(chunk)));
    expect(await exitOf(child)).toBe(1);
    expect(output).toMatch(/^Missing: redis-server, nginx\. Install: .*apt-get install redis-server nginx/);
  });
});
