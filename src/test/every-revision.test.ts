import { createServer, tool } from 'tenon';
import { protocolVersions } from 'tenon/protocol';
import { createFakeClock, createTestConnection, eachProtocolVersion } from 'tenon/test';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';

const person = z.object({ name: z.string() });
const requesting = ['2025-06-18', '2025-11-25', '2026-07-28'] as const;

const greeter = (runs: string[] = []) =>
  createServer(
    {
      name: 'greeter',
      version: '1.0.0',
      tools: {
        greet: tool({}, async (_, ctx) => {
          runs.push('run');
          const who = await ctx.elicit('who', { message: 'Who?', schema: person });
          const to = await ctx.elicit('to', { message: 'And to whom?', schema: person });
          return who.action === 'accept' && to.action === 'accept'
            ? `${who.content.name}, ${to.content.name}`
            : to.action;
        }),
        echo: tool({ inputSchema: person }, ({ name }) => name),
        combine: tool({}, async (_, ctx) => {
          const sampled = await ctx.sample('sampled', { messages: [], maxTokens: 9 });
          const signIn = await ctx.elicit('signIn', { message: 'Sign in', url: 'https://example.com' });
          return `${JSON.stringify(sampled.content)} ${signIn.action} ${(await ctx.listRoots()).length}`;
        }),
        inconsistent: tool({}, async (_, ctx) => {
          await ctx.elicit('who', { message: `Who? ${runs.push('inconsistent')}`, schema: person });
          return 'never';
        }),
        slow: tool({ timeoutMs: 1000 }, () => new Promise<never>(() => {})),
      },
    },
    { onError: () => {} },
  );

describe('eachProtocolVersion', () => {
  it('gives a typed client under each protocol version, the oldest first', async () => {
    const seen: string[] = [];
    for await (const { client, protocolVersion: revision } of eachProtocolVersion(greeter())) {
      const { content } = await client.tools.call('echo', { name: 'Ada' });
      expect(content).toEqual([{ type: 'text', text: 'Ada' }]);
      expect(client.protocolVersion).toBe(revision);
      seen.push(revision);
    }
    expect(seen).toEqual(protocolVersions);
  });

  it('starts the script from the beginning for each version', async () => {
    const answers = { elicitForm: [{ name: 'Ada' }, { name: 'Bob' }] };
    const results: unknown[] = [];
    for await (const { client } of eachProtocolVersion(greeter(), {
      protocolVersions: requesting,
      handlers: answers,
    })) {
      results.push((await client.tools.call('greet')).content);
    }
    expect(results).toEqual(requesting.map(() => [{ type: 'text', text: 'Ada, Bob' }]));
  });

  it('closes the client when the loop ends early', async () => {
    let call = async (): Promise<unknown> => undefined;
    for await (const { client } of eachProtocolVersion(greeter())) {
      call = () => client.tools.call('echo', { name: 'Ada' });
      break;
    }
    await expect(call()).rejects.toMatchObject({ code: 'connection-closed' });
  });
});

describe.each(requesting)('a test connection under %s', (revision) => {
  it('runs a handler again after every answer', async () => {
    const runs: string[] = [];
    await using connection = await createTestConnection(greeter(runs), {
      protocolVersion: revision,
      handlers: { elicitForm: { 'Who?': { name: 'Ada' }, 'And to whom?': 'decline' } },
    });
    expect((await connection.client.tools.call('greet')).content).toEqual([{ type: 'text', text: 'decline' }]);
    expect(runs).toEqual(['run', 'run', 'run']);
  });

  it('fails a call whose handler sends other requests when it runs again', async () => {
    await using connection = await createTestConnection(greeter(), {
      protocolVersion: revision,
      handlers: { elicitForm: [{ name: 'Ada' }] },
    });
    expect((await connection.client.tools.call('inconsistent')).isError).toBe(true);
  });

  it('rejects the call and close() if the script has no answer to a server request', async () => {
    const connection = await createTestConnection(greeter(), {
      protocolVersion: revision,
      handlers: { elicitForm: [{ name: 'Ada' }] },
    });
    const failure = await connection.client.tools.call('greet').catch((error: unknown) => error);
    expect(failure).toMatchObject({
      code: 'server-request-failed',
      message: expect.stringContaining('The option "handlers" has no answer to the form "And to whom?".'),
    });
    await expect(connection.close()).rejects.toMatchObject({ code: 'server-request-failed' });
  });

  it('records every message', async () => {
    await using connection = await createTestConnection(greeter(), { protocolVersion: revision });
    await connection.client.tools.call('echo', { name: 'Ada' });
    expect(connection.messages.slice(-2)).toMatchObject([
      { from: 'client', message: { method: 'tools/call', params: { name: 'echo', arguments: { name: 'Ada' } } } },
      { from: 'server', message: { result: { content: [{ text: 'Ada' }] } } },
    ]);
    expect(connection.warnings).toEqual([]);
  });

  it('advances the time of the server only with the clock of the test', async () => {
    const clock = createFakeClock();
    await using connection = await createTestConnection(greeter(), { protocolVersion: revision, clock });
    const call = connection.client.tools.call('slow').catch((error: unknown) => error);
    await connection.client.tools.call('echo', { name: 'Ada' });
    clock.advance(1000);
    expect(await call).toMatchObject({ reason: 'timeout' });
  });

  it('advances the time of the client only with the clock of the test', async () => {
    const clock = createFakeClock();
    await using connection = await createTestConnection(greeter(), { protocolVersion: revision, clock });
    const call = connection.client.tools.call('slow', {}, { timeoutMs: 500 }).catch((error: unknown) => error);
    await connection.client.tools.call('echo', { name: 'Ada' });
    clock.advance(500);
    expect(await call).toMatchObject({ code: 'timeout' });
  });
});

it.each(['2025-11-25', '2026-07-28'] as const)(
  'a script answers sampling, URL elicitation and roots under %s',
  async (revision) => {
    const answers = { sample: ['hmm'], elicitUrl: ['accept'], roots: [{ uri: 'file:///a' }] } as const;
    await using connection = await createTestConnection(greeter(), { protocolVersion: revision, handlers: answers });
    const text = '{"type":"text","text":"hmm"} accept 1';
    expect((await connection.client.tools.call('combine')).content).toEqual([{ type: 'text', text }]);
  },
);

it('a test connection can run without replay', async () => {
  const runs: string[] = [];
  const answers = { elicitForm: [{ name: 'Ada' }, { name: 'Bob' }] };
  await using connection = await createTestConnection(greeter(runs), {
    protocolVersion: '2025-11-25',
    handlers: answers,
    alwaysReplay: false,
  });
  await connection.client.tools.call('greet');
  expect(runs).toEqual(['run']);
});

it.each([
  [{ protocolVersions: ['2025-11-25'] }, 'protocolVersions is not an option. Did you mean protocolVersion?'],
  [{ protocolVersion: '2025-01-01' }, 'protocolVersion is not valid. protocolVersion must be one of 2024-11-05'],
  [{ handlers: { form: [] } }, 'handlers.form is not an option. There are elicitForm, elicitUrl, sample, roots.'],
  [{ handlers: { elicitForm: () => ({ action: 'decline' }) } }, 'handlers.elicitForm must be a list of answers'],
  [{ handlers: { elicitForm: { name: 'Ada' } } }, 'handlers.elicitForm must be a list of answers'],
  [{ handlers: { elicitUrl: ['yes'] } }, "An answer is 'accept', 'decline' or 'cancel'."],
  [{ handlers: { sample: 'hmm' } }, 'handlers.sample must be a list of answers'],
  [{ clock: {} }, 'clock must be the result of createFakeClock()'],
])('createTestConnection() refuses %j', async (options, text) => {
  const failure = await createTestConnection(greeter(), options as never).catch((error: unknown) => error);
  expect(failure).toMatchObject({ code: 'invalid-argument', message: expect.stringContaining(text) });
  expect((failure as Error).message).toMatch(/^createTestConnection\(\): /);
});

it('createTestConnection() refuses a value that is not a server', async () => {
  await expect(createTestConnection({ name: 's' } as never)).rejects.toMatchObject({
    code: 'invalid-argument',
    details: { place: 'server' },
  });
});

it('eachProtocolVersion() refuses the option of createTestConnection()', async () => {
  const versions = eachProtocolVersion(greeter(), { protocolVersion: '2025-11-25' } as never);
  await expect(versions.next()).rejects.toMatchObject({
    code: 'invalid-argument',
    message: expect.stringContaining('Did you mean protocolVersions?'),
  });
});

it.each([
  ['an accepted form', { action: 'accept', content: { name: 'Ada' } }, 'Ada, Bob'],
  ['a declined form', { action: 'decline' }, 'accept'],
] as const)('a scripted answer has the shape that a handler returns: %s', async (_, answer, text) => {
  await using connection = await createTestConnection(greeter(), {
    handlers: { elicitForm: [answer, { name: 'Bob' }] },
  });
  expect((await connection.client.tools.call('greet')).content).toEqual([{ type: 'text', text }]);
});

it('a scripted answer with the field `action` is read as fields if the form has that field', async () => {
  const schema = z.object({ action: z.string() });
  const server = createServer({
    name: 's',
    version: '1',
    tools: {
      act: tool({}, async (_, ctx) => {
        const answer = await ctx.elicit('act', { message: 'What?', schema });
        return answer.action === 'accept' ? answer.content.action : 'not accepted';
      }),
    },
  });
  await using connection = await createTestConnection(server, { handlers: { elicitForm: [{ action: 'decline' }] } });
  expect((await connection.client.tools.call('act')).content).toEqual([{ type: 'text', text: 'decline' }]);
});
