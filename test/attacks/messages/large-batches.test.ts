/** Batches as large as they may be: they leave nothing behind, and Node has no reason to warn. */
import { tool } from 'tenon';
import { expect, it, onTestFinished, vi } from 'vitest';
import { call } from '../../kit/http/messages.ts';
import { dial, written } from '../../kit/http/raw-socket.ts';
import { serve } from '../../kit/http/sample-server.ts';

it('100 slow calls in a batch without a session end with their connection, and add one listener to it [S24]', async () => {
  const warned: Error[] = [];
  const note = (warning: Error): void => void warned.push(warning);
  process.on('warning', note);
  onTestFinished(() => void process.off('warning', note));
  let [running, most] = [0, 0];
  const obey = tool({}, async (_given, { signal }) => {
    most = Math.max(most, ++running);
    await new Promise((resolve) => signal.addEventListener('abort', resolve));
    running--;
    return 'done';
  });
  const served = await serve({ sessions: false }, {}, { tools: { obey } });
  const { socket } = dial(served);
  const batch = Array.from({ length: 100 }, (_, id) => call('obey', {}, id));
  socket.write(written({ headers: { 'mcp-protocol-version': '2025-03-26' }, body: batch }));
  await vi.waitFor(() => expect(running).toBe(100));
  socket.destroy();
  await vi.waitFor(() => expect([running, served.stats().activeCalls]).toEqual([0, 0]));
  expect(most).toBe(100);
  expect(warned.map(String)).toEqual([]);
});
