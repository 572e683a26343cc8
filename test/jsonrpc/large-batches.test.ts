/** Answers to a batch that are over the limit together reach a client that has the same limit. */

import { expect, test } from 'vitest';
import { recordingPeer } from '../kit/channel/recording-peer.ts';

test('each answer of a batch within the limit is read by the other side, however many there are', async () => {
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
  expect([...server.faults, ...client.faults]).toEqual([]);
});
