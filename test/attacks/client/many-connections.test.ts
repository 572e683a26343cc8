/** A capture with very many connections is read in time linear in its events. */
import { type CapturedEvent, callsInCapture, type ReadCapture, replayServer } from 'tenon/capture';
import { expect, it } from 'vitest';

const count = 50_000;
const response = { jsonrpc: '2.0', id: 1, result: { resultType: 'complete', content: [] } };
const request = { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'x' } };

const message = (connection: number, from: 'client' | 'server', m: object): CapturedEvent =>
  ({ kind: 'message', at: 0, connection, from, m }) as unknown as CapturedEvent;

const capture = {
  header: { capture: 1, by: 'x', made: '2026-01-01T00:00:00.000Z', redaction: 1 },
  events: Array.from({ length: count }, (_, n) => [
    message(n, 'client', request),
    message(n, 'server', response),
  ]).flat(),
  isComplete: true,
} as ReadCapture;

it('has the calls of 50,000 connections [S24]', () => {
  const calls = callsInCapture(capture);
  expect(calls).toHaveLength(count);
  expect(calls.at(-1)).toMatchObject({ connection: count - 1, method: 'tools/call' });
});

it('is replayed with 50,000 connections [S24]', () => {
  expect(() => replayServer(capture)).not.toThrow();
});
