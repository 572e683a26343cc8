/** Requests that Node rejects by itself: each gets an answer with a body, and none that belongs to another request. */
import { once } from 'node:events';
import { tool } from 'tenon';
import { describe, expect, it } from 'vitest';
import { createDeferred } from '../../../src/lib/values/deferred.ts';
import { withFixed } from '../../kit/fixed-limits.ts';
import { loneCall } from '../../kit/http/messages.ts';
import { dial, written } from '../../kit/http/raw-socket.ts';
import { serve } from '../../kit/http/sample-server.ts';

const call = written(loneCall('echo', { text: 'x' }));
const head = 'POST /mcp HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\n';
const headersMs = 50;
const impatient = { timeouts: withFixed({ requestMs: headersMs }, { headersMs }) };

/** Keeps the process busy for longer than a request may take; its timers run before it reads again. */
const beBusy = (): Promise<void> =>
  new Promise((resolve) => {
    setImmediate(() => {
      const until = performance.now() + 4 * headersMs;
      while (performance.now() < until);
      resolve();
    });
  });

describe('a process that was busy for longer than a request may take', () => {
  it('serves requests that have arrived meanwhile, whole or in part before [S24, S36]', async () => {
    const served = await serve(impatient);
    const [whole, parts] = [dial(served), dial(served)];
    await Promise.all([once(whole.socket, 'connect'), once(parts.socket, 'connect')]);
    parts.socket.write(call.slice(0, 30));
    await new Promise((resolve) => setImmediate(resolve));
    whole.socket.write(call);
    parts.socket.write(call.slice(30));
    await beBusy();
    await Promise.all([whole.until(/\}$/), parts.until(/\}$/)]);
    expect([whole.text(), parts.text()]).toEqual([
      expect.stringContaining('"result"'),
      expect.stringContaining('"result"'),
    ]);
  });

  it('still refuses what is not whole by then [S24, S36]', async () => {
    const served = await serve(impatient);
    const late = [head, `${head}content-length: 100\r\n\r\n{"json`, `${call}${head}x: y`].map((bytes) => {
      const client = dial(served);
      client.socket.write(bytes);
      return client;
    });
    await beBusy();
    for (const { received } of late) expect(await received).toMatch(/ 408 Request Timeout\r\n/);
  });
});

describe('an answer to what Node rejects', () => {
  it.each([
    ['is no HTTP', 'NONSENSE\r\n\r\n', 400],
    ['has two lengths', `${head}content-length: 1\r\ncontent-length: 2\r\n\r\n`, 400],
    ['has large headers', `${head}x: ${'y'.repeat(20_000)}\r\n\r\n`, 431],
    ['has a large extension', `${head}transfer-encoding: chunked\r\n\r\n1;${'y'.repeat(20_000)}\r\n`, 413],
    ['is late', `${head}x: y`, 408],
  ])('that %s has a body [S24, S36]', async (_what, bytes, status) => {
    const served = await serve(impatient);
    const { socket, received } = dial(served);
    socket.write(bytes);
    const [top, body = ''] = (await received).split('\r\n\r\n');
    expect(top).toMatch(`HTTP/1.1 ${status} `);
    expect(top).toMatch(`Content-Length: ${body.length}`);
    expect(JSON.parse(body)).toMatchObject({ error: { code: -32600 } });
  });

  it('is not sent in the place of one that a client waits for [S24, S36]', async () => {
    const [began, goOn] = [createDeferred(), createDeferred()];
    const slow = tool({}, async () => {
      began.resolve();
      await goOn.promise;
      return 'done';
    });
    const served = await serve({}, {}, { tools: { slow } });
    const { socket, received } = dial(served);
    socket.write(written(loneCall('slow')));
    await began.promise;
    socket.write('NONSENSE\r\n\r\n');
    expect(await received).toBe('');
    goOn.resolve();
  });
});
