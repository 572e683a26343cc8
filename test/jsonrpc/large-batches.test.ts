/** Responses to a batch that together are over maxMessageChars reach a client with the same limit. */

import { expect, test } from 'vitest';
import { recordingPeer } from '../kit/transport/recording-peer.ts';

test('the other side reads all responses to a batch, if each one is within the limit', async () => {
  const limits = { maxMessageChars: 1000 };
  const server = recordingPeer({ limits, batches: () => true });
  const client = recordingPeer({ limits, batches: () => true });
  const text = 'x'.repeat(300);
  const waiting = Array.from({ length: 10 }, () => client.peer.request('m'));
  server.deliver(client.sent());
  for (let id = 1; id <= 10; id++) server.peer.answer(id, text);
  expect(server.frames.every((frame) => frame.startsWith('[') && frame.length <= 1000)).toBe(true);
  for (const frame of server.frames) client.peer.receive(frame);
  expect(await Promise.all(waiting)).toEqual(Array(10).fill(text));
  expect([...server.warnings, ...client.warnings]).toEqual([]);
});
