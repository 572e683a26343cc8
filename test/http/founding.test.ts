/** What clients of the founding documents do over HTTP. */
import { describe, expect, it } from 'vitest';
import { open, send } from './raw-http.ts';
import { serve } from './served.ts';
import { call, startSession } from './talk.ts';

describe('a client of the founding documents', () => {
  it('posts without any header of the protocol and gets JSON, by itself [S20]', async () => {
    const { url, counts } = await serve();
    const answer = await send(url, {
      headers: { accept: undefined },
      body: call('echo', { text: 'hi' }),
    });
    expect([answer.status, answer.headers['content-type']]).toEqual([200, 'application/json']);
    expect(answer.json).toMatchObject({ id: 1, result: { content: [{ type: 'text', text: 'hi' }] } });
    expect(counts().sessions).toBe(0);
  });

  it('listens at an address of its own, where events are called notification', async () => {
    const { url, server } = await serve();
    const session = await startSession(url, '2025-11-25');
    const stream = await open(`${url}/events`, {
      method: 'GET',
      headers: { accept: 'text/event-stream', 'mcp-session-id': session.id },
    });
    server.update((draft) => {
      delete draft.tools.fail;
    });
    await stream.until(() => stream.messages().length > 0, 'the change');
    expect(stream.text()).toMatch(
      /^event: notification\nid: \S+\ndata: \{"jsonrpc":"2.0","method":"notifications\/tools\/list_changed"\}\n\n$/,
    );
    stream.cut();
  });
});
