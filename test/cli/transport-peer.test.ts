/** A server with one connection serves several HTTP clients: what it sends reaches the request that it belongs to. */
import { createMemoryTransports, type Transport } from 'tenon/transport';
import { expect, it, vi } from 'vitest';
import { TransportPeer } from '../../src/cli/capture/transport-peer.ts';

type Json = Record<string, unknown>;

/** A server that does what the test says. */
function opened() {
  const [own, other] = createMemoryTransports();
  const received: Json[] = [];
  other.open({ onMessage: (text) => void received.push(JSON.parse(text)), onClose() {} });
  const peer = new TransportPeer(Promise.resolve(own), () => {});
  return { peer, received, send: (message: Json) => other.send(JSON.stringify(message)), server: other };
}

function output() {
  const sent: Json[] = [];
  const notified: Json[] = [];
  const own = {
    send: (message: Json) => void sent.push(message),
    notify: (message: Json) => void notified.push(message),
  };
  return { ...own, end: vi.fn(), break: vi.fn(), sent, notified };
}

const call = (id: unknown, progressToken?: unknown) => ({
  id,
  method: 'tools/call',
  params: { _meta: { progressToken } },
});

it('gives two clients that use the same id their own responses', async () => {
  const { peer, received, send } = opened();
  const [one, other] = [output(), output()];
  peer.receive(call(1), one);
  peer.receive(call(1), other);
  await vi.waitFor(() => expect(received).toHaveLength(2));
  send({ id: received[1]?.id, result: { of: 'other' } });
  send({ id: received[0]?.id, result: { of: 'one' } });
  await vi.waitFor(() => expect(one.sent).toEqual([{ id: 1, result: { of: 'one' } }]));
  expect(other.sent).toEqual([{ id: 1, result: { of: 'other' } }]);
  expect(one.end).toHaveBeenCalledOnce();
});

it('sends progress to its call, a request of the server to a call that runs, and the rest to none', async () => {
  const { peer, received, send } = opened();
  const [one, other] = [output(), output()];
  peer.receive(call(1, 'a'), one);
  peer.receive(call(2, 'b'), other);
  await vi.waitFor(() => expect(received).toHaveLength(2));
  const progress = { method: 'notifications/progress', params: { progressToken: 'a', progress: 1 } };
  const question = { id: 9, method: 'elicitation/create', params: {} };
  const change = { method: 'notifications/tools/list_changed' };
  for (const message of [progress, question, change]) send(message);
  await vi.waitFor(() => expect(other.notified).toEqual([change]));
  expect(one.sent).toEqual([progress]);
  expect(other.sent).toEqual([question]);
});

it('cancels the request of a client that has disconnected', async () => {
  const { peer, received } = opened();
  const gone = output();
  peer.receive(call(5), gone);
  peer.abandoned(gone);
  await vi.waitFor(() =>
    expect(received[1]).toMatchObject({ method: 'notifications/cancelled', params: { requestId: 5 } }),
  );
});

it('answers open and later requests with an error once the server has closed, or cannot be reached', async () => {
  const { peer, received, server } = opened();
  const [open, later, unreached] = [output(), output(), output()];
  peer.receive(call(1), open);
  await vi.waitFor(() => expect(received).toHaveLength(1));
  server.close();
  await vi.waitFor(() => expect(open.sent).toMatchObject([{ id: 1, error: { code: -32603 } }]));
  peer.receive(call(2), later);
  await vi.waitFor(() => expect(later.sent).toMatchObject([{ id: 2, error: {} }]));
  const failed = vi.fn();
  new TransportPeer(Promise.reject<Transport>(new Error('no such program')), failed).receive(call(3), unreached);
  await vi.waitFor(() => expect(unreached.sent).toMatchObject([{ id: 3, error: {} }]));
  expect(failed).toHaveBeenCalledOnce();
  expect(JSON.stringify(unreached.sent)).toContain('no such program');
});
