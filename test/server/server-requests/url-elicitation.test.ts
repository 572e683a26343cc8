/** URL elicitation: allowed schemes, completion notifications, and calls that require one first. */

import {
  createServer,
  type ProtocolVersion,
  prompt,
  RpcError,
  resource,
  type Server,
  tool,
  urlElicitationRequired,
} from 'tenon';
import { type ElicitUrlRequest, toRequiredUrls } from 'tenon/client';
import type { Context } from 'tenon/server';
import { describe, expect, it } from 'vitest';
import { createFakeClock } from '../../../src/lib/time/fake-clock.ts';
import { withClock } from '../../../src/lib/time/internal-deadlines.ts';
import { deferred } from '../../kit/deferred.ts';
import { withFixed } from '../../kit/fixed-limits.ts';
import { formModes, opened, run, serverOf } from '../../kit/server-request-modes.ts';
import type { Json } from '../../kit/transport/raw-connection.ts';
import { connectRecorded } from '../../kit/transport/recorded-connection.ts';
import { scriptedAt } from '../../kit/transport/scripted-server.ts';

const page = { message: 'Log in', url: 'https://a.example/login' };
const accept = () => ({ action: 'accept' as const });
const completions = (messages: readonly Json[]): unknown[] =>
  messages.filter(({ method }) => method === 'notifications/elicitation/complete').map(({ params }) => params);
const ended = ({ received }: { received: Json[] }) => completions(received);

const completionModes = formModes.filter(({ revision }) => revision === '2025-11-25');

describe.each(completionModes)('The completion of a URL elicitation, $name', (mode) => {
  it('is sent once, to the client of the elicitation, with its elicitationId [s-elicitation-21, s-elicitation-22, s-elicitation-23]', async () => {
    const contexts: Context[] = [];
    const server = serverOf(
      async (context) => {
        contexts.push(context);
        return (await context.elicit('login', page)).action;
      },
      { alwaysReplay: mode.replay },
    );
    const done: ElicitUrlRequest[] = [];
    const answers = { elicitUrl: accept, onElicitationComplete: (one: ElicitUrlRequest) => void done.push(one) };
    const eliciting = await connectRecorded(server, { protocolVersions: [mode.revision], handlers: answers });
    const other = await connectRecorded(server, { protocolVersions: [mode.revision], handlers: { elicitUrl: accept } });
    expect(await run(eliciting.client)).toBe('accept');
    const own = contexts.at(-1) as Context;
    expect(await run(other.client)).toBe('accept');
    own.completeElicitation('login');
    own.completeElicitation('login');
    own.completeElicitation('another');
    await Promise.all([eliciting.client.ping(), other.client.ping()]);
    const elicitation = eliciting.received.find(({ method }) => method === 'elicitation/create') as {
      params: ElicitUrlRequest;
    };
    expect(ended(eliciting)).toEqual([{ elicitationId: elicitation.params.elicitationId }]);
    expect(ended(other)).toEqual([]);
    expect(done).toEqual([expect.objectContaining({ ...page, elicitationId: elicitation.params.elicitationId })]);
    await Promise.all([eliciting.client.close(), other.client.close()]);
  });

  it('can be sent while the handler runs, with an elicitationId of the handler', async () => {
    const server = serverOf(async ({ elicit, completeElicitation }) => {
      await elicit('login', { ...page, elicitationId: 'mine' });
      completeElicitation('login');
      return 'done';
    });
    const connection = await connectRecorded(server, {
      protocolVersions: [mode.revision],
      handlers: { elicitUrl: accept },
    });
    expect(await run(connection.client)).toBe('done');
    expect(ended(connection)).toEqual([{ elicitationId: 'mine' }]);
    await connection.client.close();
  });
});

describe.each(formModes.filter((mode) => !completionModes.includes(mode)))(
  'The completion of a URL elicitation, $name',
  (mode) => {
    it('is not sent if the revision has no such notification', async () => {
      const server = serverOf(async ({ elicit, completeElicitation }) => {
        await elicit('login', page).catch(() => {});
        completeElicitation('login');
        return 'done';
      });
      const connection = await connectRecorded(server, {
        protocolVersions: [mode.revision],
        handlers: { elicitUrl: accept },
      });
      expect(await run(connection.client)).toBe('done');
      expect(ended(connection)).toEqual([]);
      await connection.client.close();
    });
  },
);

describe('A client that receives the completion of a URL elicitation', () => {
  it('ignores unknown, already completed and declined elicitations [s-elicitation-24]', async () => {
    const done: unknown[] = [];
    const answers = {
      elicitUrl: ({ elicitationId }: ElicitUrlRequest) => ({
        action: elicitationId === 'no' ? ('decline' as const) : ('accept' as const),
      }),
      onElicitationComplete: ({ elicitationId }: ElicitUrlRequest) => void done.push(elicitationId),
    };
    const { client, send, received, warnings } = scriptedAt('2025-11-25', { tools: {} }, () => ({ content: [] }), {
      handlers: answers,
    });
    const { tools } = await client;
    const complete = (elicitationId: string): void =>
      send({ jsonrpc: '2.0', method: 'notifications/elicitation/complete', params: { elicitationId } });
    complete('early');
    for (const [id, elicitationId] of [
      [70, 'yes'],
      [71, 'no'],
    ])
      send({ jsonrpc: '2.0', id, method: 'elicitation/create', params: { mode: 'url', ...page, elicitationId } });
    await tools.call('x');
    expect(received.filter(({ id }) => id === 70 || id === 71)).toHaveLength(2);
    for (const id of ['never', 'no', 'yes', 'yes']) complete(id);
    await tools.call('x');
    expect(done).toEqual(['yes']);
    expect(warnings).toEqual([]);
  });
});

/** A server whose features all require a URL elicitation first. */
function lockedServer(isUnlocked: () => boolean, onRun: (context: Context) => void): Server {
  const guarded = (context: Context) => {
    onRun(context);
    if (isUnlocked()) return 'unlocked';
    return context.inputResponses.login === undefined ? urlElicitationRequired({ login: page }) : 'answered';
  };
  return createServer({
    name: 'locked',
    version: '1',
    tools: { it: tool({}, (_given, context) => guarded(context)) },
    prompts: { it: prompt({}, (_given, context) => guarded(context)) },
    resources: { 'a://b': resource({}, guarded) },
  }) as Server;
}

describe('A call that requires a URL elicitation first', () => {
  it.each([
    ['tools/call', { name: 'it' }],
    ['prompts/get', { name: 'it' }],
    ['resources/read', { uri: 'a://b' }],
  ])(
    'by %s fails with the URL elicitations and their ids [s-elicitation-27, s-elicitation-29, s-elicitation-30, s-elicitation-43]',
    async (method, params) => {
      const server = lockedServer(
        () => false,
        () => {},
      );
      const { client, received } = await connectRecorded(server, {
        protocolVersions: ['2025-11-25'],
        handlers: { elicitUrl: () => ({ action: 'decline' }) },
      });
      const error = await client.request(method, params).catch((caught) => caught);
      const elicitations = [{ mode: 'url', ...page, elicitationId: expect.any(String) }];
      expect(received.at(-1)).toMatchObject({ error: { code: -32042, data: { elicitations } } });
      expect(error).toMatchObject({ reason: 'url-elicitation-required' });
      expect(toRequiredUrls(error)).toEqual(elicitations);
      await client.close();
    },
  );

  it('is sent again when the user accepted and the server sent the completion [s-elicitation-25]', async () => {
    let isUnlocked = false;
    const contexts: Context[] = [];
    const server = lockedServer(
      () => isUnlocked,
      (context) => contexts.push(context),
    );
    const requested = deferred();
    const { client, sent } = await connectRecorded(server, {
      protocolVersions: ['2025-11-25'],
      handlers: {
        elicitUrl: () => {
          requested.resolve();
          return { action: 'accept' };
        },
      },
    });
    const call = run(client);
    await requested.promise;
    await client.ping();
    expect(sent.filter(({ method }) => method === 'tools/call')).toHaveLength(1);
    isUnlocked = true;
    contexts[0]?.completeElicitation('login');
    expect(await call).toBe('unlocked');
    expect(sent.filter(({ method }) => method === 'tools/call')).toHaveLength(2);
    await client.close();
  });

  it('requires input in its result in an exchange, and never fails with -32042', async () => {
    const server = lockedServer(
      () => false,
      () => {},
    );
    const { client, received } = await connectRecorded(server, {
      protocolVersions: ['2026-07-28'],
      handlers: { elicitUrl: accept },
    });
    expect(await run(client)).toBe('answered');
    const [requested] = received.slice(-2) as Array<{ result: Json }>;
    expect(requested?.result).toMatchObject({
      resultType: 'input_required',
      inputRequests: { login: { params: page } },
    });
    await client.close();
  });

  it.each([
    ['2025-11-25', {}],
    ['2025-06-18', { elicitUrl: accept }],
  ] as const)(
    'fails with missing-client-capability if the client does not support URL elicitation: %s with %j',
    async (revision, answers) => {
      const server = lockedServer(
        () => false,
        () => {},
      );
      const { client } = await connectRecorded(server, {
        protocolVersions: [revision as ProtocolVersion],
        handlers: answers,
      });
      await expect(client.tools.call('it')).rejects.toMatchObject({ reason: 'missing-client-capability' });
      await client.close();
    },
  );

  it.each([
    ['is cancelled', () => {}, 'cancelled'],
    ['times out', (clock: { advance(ms: number): void }) => clock.advance(1000), 'timeout'],
  ])('fails when it %s', async (how, pass, expected) => {
    const clock = createFakeClock();
    const server = lockedServer(
      () => false,
      () => {},
    );
    const requested = deferred();
    const { client } = await connectRecorded(server, {
      protocolVersions: ['2025-11-25'],
      ...withClock(clock),
      timeouts: withFixed({}, { urlElicitationMs: 1000 }),
      handlers: {
        elicitUrl: () => {
          requested.resolve();
          return { action: 'accept' };
        },
      },
    });
    const caller = new AbortController();
    const call = client.tools.call('it', {}, { signal: caller.signal }).catch(({ code, reason }) => reason ?? code);
    await requested.promise;
    // After these round trips the client has processed the answer and waits for the completion.
    for (let pings = 0; pings < 20; pings++) await client.ping();
    if (how === 'is cancelled') caller.abort();
    pass(clock);
    expect(await call).toBe(expected);
    await client.close();
  });
});

describe('urlElicitationRequired', () => {
  it.each([{}, { a: { message: 'a', requestedSchema: {} } }, { a: null }, { a: 'roots' }])('rejects %j', (pages) => {
    expect(() => urlElicitationRequired(pages as never)).toThrow(
      expect.objectContaining({ code: 'invalid-outgoing-message' }),
    );
  });
});

describe('The error -32042', () => {
  it.each([
    ['no data', undefined],
    ['an empty array', { elicitations: [] }],
    ['a form', { elicitations: [{ mode: 'form', message: 'a', requestedSchema: {} }] }],
    ['a URL elicitation without an id', { elicitations: [{ mode: 'url', ...page }] }],
  ])('is not sent with %s, even if a handler throws it [s-elicitation-28, s-elicitation-30]', async (_name, data) => {
    const server = serverOf(() => {
      throw new RpcError(-32042, 'open', data);
    });
    const { client, received } = await connectRecorded(server, {
      protocolVersions: ['2025-11-25'],
      handlers: { elicitUrl: accept },
    });
    await expect(run(client)).rejects.toMatchObject({ reason: 'internal-error' });
    expect(received.at(-1)).toMatchObject({ error: { code: -32603 } });
    await client.close();
  });
});

const urlModes = formModes.filter(({ revision }) => revision !== '2025-06-18');

describe.each(urlModes)('The scheme of a URL elicitation, $name', (mode) => {
  it.each([
    ['myapp://x', undefined, 'invalid-outgoing-message'],
    ['myapp://x', ['https', 'myapp'], 'accept'],
    ['http://a.example', ['https'], 'invalid-outgoing-message'],
    ['https://a.example', undefined, 'accept'],
  ])('of %s with allowedUrlSchemes %j results in %s', async (url, urlSchemes, expected) => {
    const elicitUrl = ({ elicit }: Context) =>
      elicit('a', { message: 'open', url }).then(
        ({ action }) => action,
        (error) => {
          if (error.code === 'input-required') throw error;
          return error.code as string;
        },
      );
    const server = { alwaysReplay: mode.replay, ...(urlSchemes && { allowedUrlSchemes: urlSchemes }) };
    const { client } = await opened(mode, elicitUrl, {
      server,
      handlers: { elicitUrl: accept, allowedUrlSchemes: ['http', 'https', 'myapp'] },
    });
    expect(await run(client)).toBe(expected);
    await client.close();
  });
});
