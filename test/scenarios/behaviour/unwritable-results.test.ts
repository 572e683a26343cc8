/** Results that cannot be serialized: the call still gets an answer, and the warning has the reason. */
import { createServer, tool } from 'tenon';
import { describe, expect, it } from 'vitest';
import { deferred } from '../../kit/deferred.ts';
import { failing, hole, ofMiddleware, unwritable } from '../../kit/samples/unwritable-results.ts';
import { openAt, refused } from '../../kit/transport/raw-connection.ts';
import { versionsFrom } from '../../kit/version-order.ts';

/** Older revisions have no structured content: it is left out. */
const revisions = versionsFrom('2025-06-18');

describe.each(revisions)('a result at %s', (revision) => {
  /** Calls `odd` on a new connection. Returns the answer and the first warning, once the server is known to still serve. */
  async function called({ options, tools }: ReturnType<typeof ofMiddleware>) {
    const definition = { name: 'odd', version: '1', tools: { ...tools, fine: tool({}, () => 'fine') } };
    const received = deferred<Error>();
    const server = createServer(definition, { onError: () => {}, ...options });
    const { ask, send, next } = await openAt(server, revision, { onWarning: received.resolve });
    send(ask(1, 'tools/call', { name: 'odd' }));
    const answer = await next();
    send(ask(2, 'tools/call', { name: 'fine' }));
    expect(await next()).toMatchObject({ id: 2, result: { content: [{ text: 'fine' }] } });
    return { answer, warning: await received.promise };
  }

  it.each(unwritable)('%s is answered with an internal error, and reported with its cause', async (_what, odd) => {
    const { answer, warning } = await called(odd());
    expect(answer).toEqual(refused(-32603, 1, 'Internal error'));
    expect(warning).toMatchObject({ code: 'invalid-outgoing-message', cause: expect.any(Error) });
  });

  it('with sparse content is answered with an internal error, and reported with the path', async () => {
    const { answer, warning } = await called(ofMiddleware(() => ({ content: hole() })));
    expect(answer).toEqual(refused(-32603, 1, 'Internal error'));
    expect(warning.message).toContain('result.content[0]: expected');
  });

  it('whose error cannot be explained is reported with the plain error', async () => {
    const mute = Object.assign(() => {}, { toString: failing });
    const { answer, warning } = await called(ofMiddleware(() => ({ content: mute })));
    expect(answer).toEqual(refused(-32603, 1, 'Internal error'));
    expect(warning.message).toBe('Invalid result of tools/call');
  });
});
