/** A strict client over HTTP: the error of connecting has the line, the URL and a hint. */
import { connect, type TenonError } from 'tenon';
import { describe, expect, it } from 'vitest';
import { alone, scripted } from '../../kit/http/scripted-server.ts';

const isFirstRequest = (method: unknown): boolean => method === 'initialize' || method === 'server/discover';

/** The error of connecting to a server that answers the first request with this body. */
async function failure(body: (id: unknown) => string, revision: typeof alone | '2025-11-25') {
  const server = await scripted(({ message, response }) => {
    if (!isFirstRequest(message.method)) return false;
    return response.writeHead(200, { 'content-type': 'application/json' }).end(body(message.id));
  });
  const reason: TenonError = await connect(server.url, {
    protocolVersions: [revision],
    strict: true,
    reconnect: false,
    onWarning: () => {},
  }).then(
    () => expect.unreachable('It connected.'),
    (error) => error,
  );
  return { reason, url: server.url };
}

describe.each([alone, '2025-11-25'] as const)('Connecting at %s fails with the error of', (revision) => {
  it.each([
    [
      'a duplicate key in the response',
      (id: unknown) => `{"jsonrpc":"2.0","id":${id},"id":${id},"result":{}}`,
      'duplicate-key',
    ],
    ['a response in a batch', (id: unknown) => `[{"jsonrpc":"2.0","id":${id},"result":{}}]`, 'invalid-message'],
  ])('%s, and not with that of the request', async (_, body, code) => {
    const { reason, url } = await failure(body, revision);
    expect(reason).toMatchObject({ code, details: { url, line: body(1) } });
    expect(reason.message).toContain(`Cannot connect to ${url}: `);
    expect(reason.message).toContain('. Fix the server');
    expect(reason.message).not.toContain('standard error');
  });

  it('a body that is not JSON, in a message that fits HTTP', async () => {
    const { reason, url } = await failure(() => 'debug: x', revision);
    expect(reason).toMatchObject({ code: 'invalid-json', details: { url, line: 'debug: x' } });
    expect(reason.message).toContain('Not JSON: debug: x. Only messages are allowed here');
  });
});
