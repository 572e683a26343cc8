/** A client stops its server process and all children of that: it ends the input, then sends SIGTERM, then SIGKILL. */
import { type Client, type CommandTarget, connect, type TenonError, toText } from 'tenon';

import { protocolVersions } from 'tenon/protocol';
import { beforeAll, describe, expect, it, vi } from 'vitest';
import { bundledProgram } from '../../kit/process/bundled-program.ts';
import { isRunning } from '../../kit/process/is-running.ts';
import { program, rawServerScript, staying } from '../../kit/process/node-script.ts';
import { withTimeout } from '../../kit/with-timeout.ts';

let plain = '';
beforeAll(async () => {
  plain = await bundledProgram('plain-server');
});

interface Started {
  readonly client: Client;
  /** The lines of the server's standard error. */
  readonly stderr: string[];
  readonly pid: number;
}

/** Starts a server that answers with its pid. The script `before` decides when it exits. */
async function start(
  before: string,
  more: Partial<CommandTarget> = {},
  then = 'reply(String(process.pid))',
  reconnect = true,
): Promise<Started> {
  const stderr: string[] = [];
  const command = program(rawServerScript(then, before), {
    stderr: (line) => stderr.push(line),
    exitTimeoutMs: 100,
    ...more,
  });
  const client = await connect(command, { protocolVersions: ['2025-06-18'], reconnect });
  return { client, stderr, pid: Number(toText(await client.tools.call('any'))) };
}

/** A server has as long to notice that its input has ended, and then as long to handle SIGTERM. */
const patient = { exitTimeoutMs: 3000 };

const close = (client: Client): Promise<void> => withTimeout(client.close({ timeoutMs: 1 }), 'the client to close');

const logExit = `
  process.stdin.on('end', () => console.error('input ended'));
  process.on('exit', (code) => console.error('exit ' + code));
`;

describe('closing a client', () => {
  it('closes the input of the server and waits until it exits [s-lifecycle-20, S19]', async () => {
    const slow = `${logExit}; process.stdin.on('end', () => setTimeout(() => process.exit(7), 300))`;
    const { client, stderr, pid } = await start(slow, { exitTimeoutMs: 20_000 });
    await close(client);
    expect(stderr).toEqual(['input ended', 'exit 7']);
    expect(isRunning(pid)).toBe(false);
  });

  it('sends SIGTERM to a server that does not exit [s-lifecycle-21, S19]', async () => {
    const polite = `${logExit}; ${staying}; process.on('SIGTERM', () => { console.error('SIGTERM'); process.exit(0) })`;
    const { client, stderr, pid } = await start(polite, patient);
    await close(client);
    expect(stderr).toEqual(['input ended', 'SIGTERM', 'exit 0']);
    expect(isRunning(pid)).toBe(false);
  });

  it('kills a server that ignores SIGTERM [s-lifecycle-22, S19]', async () => {
    const stubborn = `${logExit}; ${staying}; process.on('SIGTERM', () => console.error('SIGTERM'))`;
    const { client, stderr, pid } = await start(stubborn, patient);
    await close(client);
    expect(stderr).toEqual(['input ended', 'SIGTERM']);
    expect(isRunning(pid)).toBe(false);
  });

  it.skipIf(process.platform === 'win32')(
    'gives a server behind a shell the same time to exit after SIGTERM',
    async () => {
      const thorough = `${logExit}; ${staying};
      process.on('SIGTERM', () => setTimeout(() => { console.error('cleaned up'); process.exit(0) }, 300))`;
      const script = rawServerScript('reply(String(process.pid))', thorough);
      const stderr: string[] = [];
      const args = ['-c', '"$0" -e "$1"; true', process.execPath, script];
      const command = { command: '/bin/sh', args, stderr: (line: string) => stderr.push(line), ...patient };
      const client = await connect(command, { protocolVersions: ['2025-06-18'] });
      const pid = Number(toText(await client.tools.call('any')));
      await close(client);
      expect(stderr).toEqual(['input ended', 'cleaned up', 'exit 0']);
      // The shell is gone: another process reaps the server, a moment after it has exited.
      await expect.poll(() => isRunning(pid)).toBe(false);
    },
  );

  it('kills a server that does not read, and discards what waits to be written', async () => {
    const deaf = `process.on('SIGTERM', () => {}); ${staying}`;
    const { client, pid } = await start(deaf, {}, `reply(String(process.pid)); process.stdin.pause()`);
    const call = client.tools.call('any', { text: 'x'.repeat(5_000_000) }).catch((error: TenonError) => error);
    await close(client);
    expect(await call).toMatchObject({ code: 'connection-closed' });
    expect(isRunning(pid)).toBe(false);
  });

  it.each(protocolVersions)(
    'cancels the running calls, so that a Tenon server exits at once, under %s',
    async (revision) => {
      const stderr: string[] = [];
      const env = { GRACE_MS: '600000', VERBOSE: 'yes' };
      const command = {
        command: process.execPath,
        args: [plain],
        env,
        exitTimeoutMs: 600_000,
        stderr: (line: string) => stderr.push(line),
      };
      const client = await connect(command, { protocolVersions: [revision] });
      const waiting = client.tools.call('stuck').catch((error: TenonError) => error);
      await client.tools.call('echo', { text: 'received' });
      await close(client);
      expect(await waiting).toMatchObject({ code: 'connection-closed' });
      expect(stderr).toContain('stuck was cancelled');
    },
  );

  it('rejects all waiting calls, however often it is called', async () => {
    const { client } = await start('', {}, 'if (message.params.name === "any") reply(String(process.pid))');
    const waiting = client.tools.call('other').catch((error: TenonError) => error);
    await Promise.all([close(client), close(client)]);
    expect(await waiting).toMatchObject({ code: 'connection-closed' });
    await close(client);
  });
});

describe('a process that the server started', () => {
  const startingChild = (options: string): string => `
    const { spawn } = require('node:child_process');
    const child = spawn(process.execPath, ['-e', "process.on('SIGTERM', () => {}); ${staying}"], ${options});
  `;
  const answerPid = `reply(message.params.name === 'child' ? String(child.pid) : String(process.pid))`;

  it.each([
    ['exits when its input ends', `{ stdio: 'inherit' }`, `process.stdin.on('end', () => process.exit(0))`],
    ['has to be killed', `{ stdio: 'inherit' }`, `process.on('SIGTERM', () => {}); ${staying}`],
    ['shares no stream with it', `{ stdio: 'ignore' }`, `process.stdin.on('end', () => process.exit(0))`],
  ])('exits with its server that %s', async (_, options, manner) => {
    const { client } = await start(`${startingChild(options)}; ${manner}`, {}, answerPid);
    const child = Number(toText(await client.tools.call('child')));
    expect(isRunning(child)).toBe(true);
    await close(client);
    await vi.waitFor(() => expect(isRunning(child)).toBe(false));
  });

  it('and that is detached with inherited streams does not delay closing', async () => {
    const detached = startingChild(`{ stdio: 'inherit', detached: true }`);
    const { client } = await start(`${detached}; process.stdin.on('end', () => process.exit(0))`, {}, answerPid);
    const child = Number(toText(await client.tools.call('child')));
    try {
      await close(client);
      expect(isRunning(child)).toBe(true);
    } finally {
      process.kill(child, 'SIGKILL');
    }
  });
});

describe('a server that exits first', () => {
  it.each([
    ['exits', 'console.error("out of luck"); process.exit(4)', { code: 4, signal: null }],
    [
      'is killed',
      'console.error("out of luck"); process.kill(process.pid, "SIGKILL")',
      { code: null, signal: 'SIGKILL' },
    ],
    [
      'closes its output and stays',
      `${staying}; console.error("out of luck"); require('node:fs').closeSync(1)`,
      { signal: 'SIGTERM' },
    ],
  ])(
    '(it %s) rejects every call with its exit code or signal and its standard error [s-lifecycle-23]',
    async (_, manner, details) => {
      const closed = vi.fn();
      const script = rawServerScript(`if (message.params.name === 'leave') { ${manner} }`);
      const command = program(script, patient);
      const client = await connect(command, { protocolVersions: ['2025-06-18'], onClose: closed, reconnect: false });
      const calls = ['other', 'leave'].map((name) => client.tools.call(name).catch((error: TenonError) => error));
      const reason = { code: 'server-exited', details: { ...details, stderr: ['out of luck'] } };
      for (const error of await withTimeout(Promise.all(calls), 'the calls to fail'))
        expect(error).toMatchObject({ code: 'outcome-unknown', cause: reason });
      await close(client);
      expect(closed).toHaveBeenCalledOnce();
      expect(closed).toHaveBeenCalledWith(expect.objectContaining({ code: 'server-exited' }));
      await expect(client.tools.call('other')).rejects.toMatchObject({ code: 'connection-closed' });
    },
  );
});

it('a server that does not read is disconnected when the queue is full, and its calls fail with queue-full', async () => {
  // With reconnect, messages that were not written would go to the next process.
  const { client, pid } = await start(staying, {}, 'reply(String(process.pid)); process.stdin.pause()', false);
  const text = 'x'.repeat(5_000_000);
  const calls = Array.from({ length: 60 }, () =>
    client.tools.call('any', { text }).catch((error: TenonError) => error),
  );
  const errors = (await withTimeout(Promise.all(calls), 'the calls to fail')) as TenonError[];
  const causes = errors.map((error) =>
    error.code === 'outcome-unknown' ? (error.cause as TenonError)?.code : error.code,
  );
  expect(causes).toContain('queue-full');
  await close(client);
  expect(isRunning(pid)).toBe(false);
});

it('a server that writes too long a line is stopped, even before the client is closed', async () => {
  const endless = `${staying}; process.on('SIGTERM', () => { console.error('SIGTERM'); process.exit(0) })`;
  const stderr: string[] = [];
  const script = rawServerScript(`process.stdout.write('x'.repeat(7000))`, endless);
  const command = program(script, { ...patient, stderr: (line) => stderr.push(line) });
  const client = await connect(command, {
    protocolVersions: ['2025-06-18'],
    limits: { maxMessageChars: 2000 },
    reconnect: false,
  });
  await expect(client.tools.call('any')).rejects.toMatchObject({ cause: { code: 'message-too-large' } });
  await vi.waitFor(() => expect(stderr).toEqual(['SIGTERM']));
  await close(client);
});
