/** `tenon gateway` as a program: it starts a command, reloads at SIGHUP, and ends at SIGTERM. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { expect, it, onTestFinished } from 'vitest';
import { program } from '../../cli/program.ts';
import { folderWith } from '../config/file.ts';
import { clientOf, textOf } from './serving.ts';

const clock = fileURLToPath(new URL('../../../examples/gateway/clock.ts', import.meta.url));
const upstream = (name: string): string =>
  `  ${name}: { prefix: ${name}, command: '${process.execPath}', args: [--import, '${import.meta.resolve('tsx')}', '${clock}'], cwd: '${fileURLToPath(new URL('../../..', import.meta.url))}' }\n`;

it('serves a command, reloads at SIGHUP, and exits with 0 at SIGTERM', async (context) => {
  if (process.platform === 'win32') context.skip('Windows has no SIGHUP');
  const folder = folderWith({
    'gateway.yaml': `listen: 127.0.0.1:0\nupstreams:\n${upstream('one')}${upstream('two')}`,
  });
  const { command, args } = program('gateway', '--config', 'gateway.yaml', '--json');
  const child = spawn(command, args, { cwd: folder.path, stdio: ['ignore', 'pipe', 'pipe'] });
  onTestFinished(() => void child.kill('SIGKILL'));
  const exited = once(child, 'exit');
  const errors = createInterface({ input: child.stderr })[Symbol.asyncIterator]();
  const [line] = (await once(createInterface({ input: child.stdout }), 'line')) as [string];
  const { url, upstreams } = JSON.parse(line).result;
  expect(upstreams).toBe(2);
  const client = await clientOf(url);
  const pid = Number(textOf(await client.tools.call('one__process', {})));
  expect(pid).toBeGreaterThan(0);
  folder.write(
    'gateway.yaml',
    `listen: 127.0.0.1:0\nupstreams:\n${upstream('one')}${upstream('two')}${upstream('three')}`,
  );
  child.kill('SIGHUP');
  expect((await errors.next()).value).toBe('tenon: gateway.yaml was reloaded: added three.');
  await client.close();
  child.kill('SIGTERM');
  expect(await exited).toEqual([0, null]);
});
