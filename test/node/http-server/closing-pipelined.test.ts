/** A server that closes while a client reads the responses to pipelined requests. */
import { tool } from 'tenon';
import { expect, it, vi } from 'vitest';
import { loneCall } from '../../kit/http/messages.ts';
import { dial, written } from '../../kit/http/raw-socket.ts';
import { serve } from '../../kit/http/sample-server.ts';

const page = 'x'.repeat(8_000_000);
const tools = { large: tool({}, () => page), small: tool({}, () => 'y'.repeat(9000)) };

it.each([
  ['two large responses', ['large', 'large']],
  ['a small response last', ['large', 'large', 'small']],
  ['many responses', ['large', ...Array.from({ length: 15 }, () => 'small'), 'large', 'small']],
])('all responses that wait for others are sent whole: %s [S37]', async (_which, names) => {
  const warned = vi.fn();
  process.on('warning', warned);
  const served = await serve({ timeouts: { shutdownMs: 60_000 } }, {}, { tools });
  const reader = dial(served);
  const { socket, until, text } = reader;
  socket.write(names.map((name, id) => written(loneCall(name, {}, {}, id))).join(''));
  await until(/^HTTP\/1\.1 200 OK/);
  socket.pause();
  await vi.waitFor(() => expect(served.stats().activeCalls).toBe(0), { timeout: 60_000 });
  const closed = served.close();
  setImmediate(() => socket.resume());
  await closed;
  await reader.received;
  let rest = text();
  for (const _name of names) {
    const length = Number(/^HTTP\/1\.1 200 OK\r\n[^]*?content-length: (\d+)/i.exec(rest)?.[1]);
    const from = rest.indexOf('\r\n\r\n') + 4;
    expect(rest.length - from).toBeGreaterThanOrEqual(length);
    rest = rest.slice(from + length);
  }
  expect(rest).toBe('');
  process.off('warning', warned);
  expect(warned).not.toHaveBeenCalled();
});
