/** A server that is started from a snapshot of Node serves as one that is started from its file. */
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { connect, type RevisionId, textOf } from 'tenon';
import { beforeAll, describe, expect, it } from 'vitest';
import { bundledProgram } from '../../kit/process/bundled-program.ts';
import { call, said, startRaw } from '../../kit/process/raw-process.ts';

let blob = '';
beforeAll(async () => {
  const file = await bundledProgram('snapshot-server', 'stdio', 'cjs');
  blob = join(file, '..', `snapshot-server-${process.version}.blob`);
  await run(process.execPath, ['--snapshot-blob', blob, '--build-snapshot', file]);
});

const run = promisify(execFile);

describe.each<RevisionId>(['2025-11-25', '2026-07-28'])('A server from a snapshot, at %s', (revision) => {
  const heard: string[] = [];
  const open = () => {
    const command = { command: process.execPath, args: ['--snapshot-blob', blob] };
    return connect({ ...command, stderr: (line: string) => heard.push(line) }, { revisions: [revision] });
  };

  it('answers calls in a process other than that which built it', async () => {
    await using client = await open();
    const { builtBy, servedBy } = JSON.parse(textOf(await client.tools.call('process')));
    expect(servedBy).not.toBe(builtBy);
    expect(textOf(await client.tools.call('echo', { text: 'heard' }))).toBe('heard');
  });

  it('names what is wrong with arguments and params, keeps time, and guards its output', async () => {
    await using client = await open();
    expect(textOf(await client.tools.call('echo', { text: 5 }))).toContain('text');
    await expect(client.tools.call('stuck')).rejects.toMatchObject({ message: expect.stringContaining('20 ms') });
    expect(textOf(await client.tools.call('print'))).toBe('printed');
    await client.close();
    expect(heard.join('\n')).toContain('printed beside the protocol');
    expect(client.counts.invalid).toBe(0);
  });
});

it('A program that serves twice does not get into a snapshot, by name', async () => {
  const file = await bundledProgram('serving-twice', 'stdio', 'cjs');
  const built = run(process.execPath, ['--snapshot-blob', `${blob}.none`, '--build-snapshot', file]);
  await expect(built).rejects.toMatchObject({ stderr: expect.stringContaining('a startup snapshot serves one') });
});

it('A program that closes what it serves while it is built serves nothing', async () => {
  const file = await bundledProgram('serving-no-more', 'stdio', 'cjs');
  await run(process.execPath, ['--snapshot-blob', `${blob}.closed`, '--build-snapshot', file]);
  // Its input stays open: one that serves would not end.
  expect(await run(process.execPath, ['--snapshot-blob', `${blob}.closed`])).toEqual({ stdout: '', stderr: '' });
});

it('A server from a snapshot explains what it refuses, and leaves when its input ends', async () => {
  const server = startRaw('', { nodeArgs: ['--snapshot-blob', blob] });
  server.send(call(1, 5 as never), call(2, 'echo', { text: 'heard' }));
  expect(said(await server.answer(2))).toBe('heard');
  expect(await server.answer(1)).toMatchObject({ error: { message: expect.stringContaining('params.name') } });
  server.child.stdin.end();
  expect(await server.ended).toEqual({ code: 0, signal: null });
});
