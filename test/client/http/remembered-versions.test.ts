/** Which answers to discovery show that a server does not support it, and which are temporary. */
import { connect } from 'tenon';
import { describe, expect, it } from 'vitest';
import {
  alone,
  event,
  type Json,
  type Received,
  refuse,
  scripted,
  session,
  stream,
} from '../../kit/http/scripted-server.ts';

const discovers = ({ message }: Received): boolean => message.method === 'server/discover';
const rpcError = (code: number, message: string) => (one: Received) =>
  stream(one.response).end(event({ id: one.message.id, error: { code, message } } as Json));

async function revisionOf(url: string): Promise<string> {
  await using client = await connect(url, { reconnect: false });
  return client.protocolVersion;
}

describe('A server that once answers discovery with', () => {
  it.each<[string, (one: Received) => unknown]>([
    ['an internal error', rpcError(-32603, 'Internal error')],
    ['an error of its own', rpcError(-32000, 'Too many requests')],
    ['408', ({ response }) => refuse(response, 408)],
    ['425', ({ response }) => refuse(response, 425)],
    ['499', ({ response }) => refuse(response, 499)],
    [
      'an invalid response',
      ({ response }) => response.writeHead(200, { 'content-type': 'application/json' }).end('{}'),
    ],
  ])('%s gets discovery again on the next connection', async (_, fail) => {
    let fails = true;
    const server = await scripted((one) => (fails && discovers(one) ? fail(one) : false));
    expect(await revisionOf(server.url)).toBe(session);
    fails = false;
    expect(await revisionOf(server.url)).toBe(alone);
  });

  it.each<[string, (one: Received) => unknown]>([
    ['an unknown method', rpcError(-32601, 'Method not found')],
    ['invalid params', rpcError(-32602, 'Invalid request parameters')],
    ['a missing session', ({ response }) => refuse(response, 400, { code: -32000, message: 'Mcp-Session-Id missing' })],
    ['a missing handshake', ({ response }) => refuse(response, 400, { code: -32000, message: 'Not initialized' })],
    [
      'its revisions',
      ({ response }) => refuse(response, 400, { code: -32022, message: 'No', data: { supported: [session] } }),
    ],
    ['an empty 400', ({ response }) => refuse(response, 400)],
    ['an empty 404', ({ response }) => refuse(response, 404)],
    ['405', ({ response }) => refuse(response, 405)],
  ])('%s gets a handshake at once on the next connection', async (_, answer) => {
    const server = await scripted((one) => (discovers(one) ? answer(one) : false));
    expect(await revisionOf(server.url)).toBe(session);
    const discoveries = server.posted('server/discover').length;
    expect(await revisionOf(server.url)).toBe(session);
    expect(server.posted('server/discover')).toHaveLength(discoveries);
    expect(server.posted('initialize')).toHaveLength(2);
  });
});

describe('A server that accepted a handshake, and now answers it with', () => {
  it.each<[string, (one: Received) => unknown]>([
    ['404', ({ response }) => refuse(response, 404)],
    ['a web page', ({ response }) => response.writeHead(200, { 'content-type': 'text/html' }).end('<html>')],
  ])('%s gets discovery', async (_, refusal) => {
    let isOld = true;
    const server = await scripted((one) => {
      if (isOld) return discovers(one) ? refuse(one.response, 400) : false;
      return one.message.method === 'initialize' ? refusal(one) : false;
    });
    expect(await revisionOf(server.url)).toBe(session);
    isOld = false;
    expect(await revisionOf(server.url)).toBe(alone);
  });
});
