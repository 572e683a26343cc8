/** The clients of a process share the connections that are kept: what one has of them is its own affair. */
import type { Socket } from 'node:net';
import { connect } from 'tenon';
import { expect, it, onTestFinished } from 'vitest';
import { within } from '../stdio/raw-process.ts';
import { alone, type Json, type Received, scripted, stream, textResult } from './scripted-http.ts';

const holds = (one: Received): boolean => (one.message.params as Json | undefined)?.name === 'hold';
const options = { revisions: [alone], reconnect: false } as const;
const socketsOf = (received: readonly Received[]): Set<Socket> =>
  new Set(received.map(({ response }) => response.req.socket));

it('twenty clients that call one after the other need no more than one', async () => {
  const server = await scripted();
  const clients = [];
  for (let n = 0; n < 20; n++) clients.push(await connect(server.url, options));
  for (const client of clients) await client.tools.call('look');
  // One that has just answered is free a turn of the loop later.
  expect(socketsOf(server.received).size).toBeLessThanOrEqual(2);
  for (const client of clients) await client.close();
});

it('a client that uses all it may have keeps no other waiting', async () => {
  const server = await scripted((one) => (holds(one) ? stream(one.response, ': held\n\n') : false));
  const greedy = await connect({ url: server.url, maxConnections: 2 }, options);
  onTestFinished(() => greedy.close({ timeoutMs: 1 }));
  const held = [1, 2, 3].map(() => greedy.tools.call('hold').catch(({ code }) => code));
  await server.until(holds, 2);
  const other = await connect({ url: server.url, maxConnections: 2 }, options);
  expect(await within(other.tools.call('look'), 'the call of the other')).toMatchObject(textResult('done'));
  expect(server.received.filter(holds)).toHaveLength(2);
  await other.close();
  await greedy.close({ timeoutMs: 1 });
  expect(await Promise.all(held)).toHaveLength(3);
});

it('a client that closes leaves the others theirs, and the last one leaves none', async () => {
  const server = await scripted();
  const [one, other] = await Promise.all([connect(server.url, options), connect(server.url, options)]);
  await Promise.all([one.tools.call('look'), other.tools.call('look')]);
  await one.close();
  await one.close();
  expect(await other.tools.call('look')).toMatchObject(textResult('done'));
  const sockets = [...socketsOf(server.received)];
  const gone = sockets.map((socket) => socket.destroyed || new Promise((resolve) => socket.once('close', resolve)));
  await other.close();
  await within(Promise.all(gone), 'all connections to close');
});

it('a call that waits for a connection and is given up never goes out', async () => {
  const server = await scripted((one) => (holds(one) ? stream(one.response, ': held\n\n') : false));
  const client = await connect({ url: server.url, maxConnections: 1 }, options);
  onTestFinished(() => client.close({ timeoutMs: 1 }));
  const [first, second] = [new AbortController(), new AbortController()];
  const holding = client.tools.call('hold', {}, { signal: first.signal }).catch(({ code }) => code);
  await server.until(holds);
  const waiting = client.tools.call('never', {}, { signal: second.signal }).catch(({ code }) => code);
  second.abort();
  expect(await within(waiting, 'the call that was given up')).toBe('cancelled');
  first.abort();
  expect(await holding).toBe('cancelled');
  expect(await within(client.tools.call('look'), 'the next call')).toMatchObject(textResult('done'));
  expect(server.received.some(({ message }) => (message.params as Json | undefined)?.name === 'never')).toBe(false);
});
