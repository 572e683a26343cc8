/** SIGTERM and SIGINT, sent to a process that serves over HTTP. */

import { afterEach, describe, expect, it } from 'vitest';
import { call, loneCall, startSession } from '../../kit/http/messages.ts';
import { open, send } from '../../kit/http/raw-http.ts';
import { bundledProgram } from '../../kit/process/bundled-program.ts';
import { endAll, startRaw } from '../../kit/process/raw-process.ts';
import { withTimeout } from '../../kit/with-timeout.ts';

afterEach(endAll);

async function startSignalled(env: Readonly<Record<string, string>> = {}) {
  const server = startRaw(await bundledProgram('signalled-server', 'http-server'), { env });
  await server.wrote('serving http');
  const url = /serving (\S+) /.exec(server.stderr())?.[1] ?? '';
  return {
    url,
    ...server,
    /** Sends SIGTERM, and waits until it has arrived. */
    async terminate(): Promise<void> {
      server.child.kill('SIGTERM');
      await server.wrote('SIGTERM ');
    },
  };
}

describe('a server that gets SIGTERM', () => {
  it('finishes its calls, refuses new ones, ends streams with a retry field, and exits with 0 [S37]', async () => {
    const { url, terminate, wrote, ended } = await startSignalled();
    const session = await startSession(url, '2025-11-25');
    const listening = await session.listen();
    const alone = send(url, loneCall('wait'));
    await wrote('waiting ');
    await terminate();
    expect(await send(url, loneCall('wait'))).toMatchObject({ status: 503, headers: { 'retry-after': '1' } });
    await send(new URL('/release', url).href, { method: 'GET' });
    expect(await alone).toMatchObject({ status: 200, text: expect.stringContaining('waited') });
    expect(await withTimeout(listening.ended, 'the end of the stream')).toBe(true);
    expect(listening.text()).toContain('retry: 1000\n\n');
    expect(await withTimeout(ended, 'the end of the process')).toEqual({ code: 0, signal: null });
  });

  it('exits at once on a second signal', async () => {
    const { url, child, terminate, wrote, ended } = await startSignalled();
    const stream = await open(url, loneCall('wait', {}, { progressToken: 1 }));
    await wrote('waiting ');
    await terminate();
    child.kill('SIGINT');
    expect(await withTimeout(ended, 'the end of the process')).toEqual({ code: 130, signal: null });
    expect(await withTimeout(stream.ended, 'the end of the stream')).toBe(false);
  });

  it('waits for its calls no longer than shutdownMs', async () => {
    const { url, terminate, wrote, ended } = await startSignalled({ GRACE_MS: '50' });
    const session = await startSession(url, '2025-11-25');
    const stream = await session.open({ body: call('wait', {}, 1, { progressToken: 1 }) });
    await wrote('waiting ');
    await terminate();
    expect(await withTimeout(ended, 'the end of the process')).toEqual({ code: 0, signal: null });
    await withTimeout(stream.ended, 'the end of the stream');
    expect(stream.text()).toContain('retry: 1000\n\n');
  });
});
