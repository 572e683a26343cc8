/** `--compat` and `--strict`: a server that follows another document, and one that prints among its messages. */
import { describe, expect, it } from 'vitest';
import { rawServerScript } from '../kit/process/node-script.ts';
import { typed } from './terminal.ts';

const node = (script: string): string[] => ['--', process.execPath, '-e', script];
const version = ['--protocol-version', '2025-06-18'];

describe('--compat', () => {
  const refusing = rawServerScript(`answer({ error: { code: -32003, message: 'No such resource' } })`).replace(
    'tools: {}',
    'resources: {}',
  );

  it('reads the errors of a server by the table that it names [S29]', async () => {
    const line = ['tenon', 'read', 'notes://one', '--json', ...version, ...node(refusing)];
    const plain = await typed(line);
    const named = await typed([...line.slice(0, 3), '--compat', 'digest', ...line.slice(3)]);
    expect(JSON.parse(plain.out).error.rpc).toMatchObject({ code: -32003, reason: 'unknown' });
    expect(JSON.parse(named.out).error.rpc).toMatchObject({ code: -32003, reason: 'resource-not-found' });
  });

  it('takes several names, and refuses unknown ones and two tables [S29]', async () => {
    const call = (...names: string[]) =>
      typed(['tenon', 'info', ...names.flatMap((name) => ['--compat', name]), ...version, ...node(refusing)]);
    expect((await call('tasks-create', 'reference')).code).toBe(0);
    expect((await call('founding-000')).err).toContain('--compat cannot be "founding-000"');
    expect((await call('digest', 'reference')).err).toContain('two tables');
  });
});

it('--strict ends the connection at the first line that is no message [S25]', async () => {
  const printing = rawServerScript('reply("done")', `print('Welcome')`);
  const line = ['tenon', 'info', ...version];
  expect((await typed([...line, ...node(printing)])).code).toBe(0);
  const strict = await typed([...line, '--strict', ...node(printing)]);
  expect(strict.code).not.toBe(0);
  expect(strict.err).toContain('Welcome');
});
