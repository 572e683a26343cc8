/** A peer for tests: the test is the other side, and every callback is recorded. */

import { createPeer } from '../../../src/jsonrpc/create-peer.ts';
import type { NotificationMessage, RequestId, RequestMessage } from '../../../src/jsonrpc/message.ts';
import type { Peer, PeerOptions, PeerPorts } from '../../../src/jsonrpc/peer.ts';
import { createDeadlines } from '../../../src/lib/time/deadlines.ts';
import { createFakeClock, type FakeClock } from '../../../src/lib/time/fake-clock.ts';

export interface RecordingPeer {
  readonly peer: Peer;
  readonly clock: FakeClock;
  readonly frames: string[];
  readonly requests: RequestMessage[];
  readonly notifications: NotificationMessage[];
  readonly warnings: Array<{ readonly code: unknown }>;
  readonly abandoned: Array<{ readonly id: RequestId; readonly method: string; readonly code: string }>;
  /** The frames sent so far, parsed. */
  sent(): unknown[];
  deliver(message: unknown): void;
  answer(id: unknown, result?: unknown): void;
  ask(id: unknown, method?: string): void;
}

export function recordingPeer(
  { batches = () => false, ...options }: PeerOptions & Pick<PeerPorts, 'batches'> = {},
  ports: Partial<PeerPorts> = {},
): RecordingPeer {
  const clock = createFakeClock();
  const frames: string[] = [];
  const requests: RequestMessage[] = [];
  const notifications: NotificationMessage[] = [];
  const warnings: RecordingPeer['warnings'] = [];
  const abandoned: RecordingPeer['abandoned'] = [];
  const peer = createPeer(
    {
      send: (frame) => frames.push(frame),
      request: (message) => requests.push(message),
      notification: (message) => notifications.push(message),
      abandoned: (id, method, { code }) => abandoned.push({ id, method, code }),
      onWarning: (error) => warnings.push(error),
      batches,
      ...ports,
    },
    { deadlines: createDeadlines(clock), ...options },
  );
  return {
    peer,
    clock,
    frames,
    requests,
    notifications,
    warnings,
    abandoned,
    sent: () => frames.map((frame) => JSON.parse(frame)),
    deliver: (message: unknown) => peer.receive(JSON.stringify(message)),
    answer: (id: unknown, result: unknown = {}) => peer.receive(JSON.stringify({ jsonrpc: '2.0', id, result })),
    ask: (id: unknown, method = 'm') => peer.receive(JSON.stringify({ jsonrpc: '2.0', id, method })),
  };
}
