import { createServer, protocolVersions, tool } from 'tenon';
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
        muse: tool({}, async (_, ctx) => {
          const said = await ctx.sample('said', { messages: [], maxTokens: 9 });
          const page = await ctx.elicit('page', { message: 'Sign in', url: 'https://example.com' });
          return `${JSON.stringify(said.content)} ${page.action} ${(await ctx.listRoots()).length}`;
        }),
        fickle: tool({}, async (_, ctx) => {
          await ctx.elicit('who', { message: `Who? ${runs.push('fickle')}`, schema: person });
          return 'never';
        }),
        slow: tool({ timeoutMs: 1000 }, () => new Promise<never>(() => {})),
      },
    },
    { onError: () => {} },
  );

describe('eachProtocolVersion', () => {
  it('gives a typed client under each revision, the oldest first', async () => {
    const seen: string[] = [];
    for await (const { client, protocolVersion: revision } of eachProtocolVersion(greeter())) {
      const { content } = await client.tools.call('echo', { name: 'Ada' });
      expect(content).toEqual([{ type: 'text', text: 'Ada' }]);
      expect(client.protocolVersion).toBe(revision);
      seen.push(revision);
    }
    expect(seen).toEqual(protocolVersions);
  });

  it('plays the script anew for each', async () => {
    const answers = { elicitForm: [{ name: 'Ada' }, { name: 'Bob' }] };
    const said: unknown[] = [];
    for await (const { client } of eachProtocolVersion(greeter(), {
      protocolVersions: requesting,
      handlers: answers,
    })) {
      said.push((await client.tools.call('greet')).content);
    }
    expect(said).toEqual(requesting.map(() => [{ type: 'text', text: 'Ada, Bob' }]));
  });

  it('closes the client of a revision that the loop left early', async () => {
    let call = async (): Promise<unknown> => undefined;
    for await (const { client } of eachProtocolVersion(greeter())) {
      call = () => client.tools.call('echo', { name: 'Ada' });
      break;
    }
    await expect(call()).rejects.toMatchObject({ code: 'connection-closed' });
  });
});

describe.each(requesting)('a trial under %s', (revision) => {
  it('runs a handler that asks again for every question', async () => {
    const runs: string[] = [];
    await using trial = await createTestConnection(greeter(runs), {
      protocolVersion: revision,
      handlers: { elicitForm: { 'Who?': { name: 'Ada' }, 'And to whom?': 'decline' } },
    });
    expect((await trial.client.tools.call('greet')).content).toEqual([{ type: 'text', text: 'decline' }]);
    expect(runs).toEqual(['run', 'run', 'run']);
  });

  it('shows a handler that does not ask the same again', async () => {
    await using trial = await createTestConnection(greeter(), {
      protocolVersion: revision,
      handlers: { elicitForm: [{ name: 'Ada' }] },
    });
    expect((await trial.client.tools.call('fickle')).isError).toBe(true);
  });

  it('fails the call and its own end when something is asked that the script does not answer', async () => {
    const trial = await createTestConnection(greeter(), {
      protocolVersion: revision,
      handlers: { elicitForm: [{ name: 'Ada' }] },
    });
    const failure = await trial.client.tools.call('greet').catch((error: unknown) => error);
    const { code, cause } = failure as { code: string; cause?: { code: string } };
    expect(cause?.code ?? code).toBe('server-request-failed');
    await expect(trial.close()).rejects.toMatchObject({ code: 'server-request-failed' });
  });

  it('keeps every message that crossed', async () => {
    await using trial = await createTestConnection(greeter(), { protocolVersion: revision });
    await trial.client.tools.call('echo', { name: 'Ada' });
    expect(trial.messages.slice(-2)).toMatchObject([
      { from: 'client', message: { method: 'tools/call', params: { name: 'echo', arguments: { name: 'Ada' } } } },
      { from: 'server', message: { result: { content: [{ text: 'Ada' }] } } },
    ]);
    expect(trial.warnings).toEqual([]);
  });

  it('lets the time of the server pass only when told to', async () => {
    const clock = createFakeClock();
    await using trial = await createTestConnection(greeter(), { protocolVersion: revision, clock });
    const call = trial.client.tools.call('slow').catch((error: unknown) => error);
    await trial.client.tools.call('echo', { name: 'Ada' });
    clock.advance(1000);
    expect(await call).toMatchObject({ reason: 'timeout' });
  });

  it('lets the time of the client pass only when told to', async () => {
    const clock = createFakeClock();
    await using trial = await createTestConnection(greeter(), { protocolVersion: revision, clock });
    const call = trial.client.tools.call('slow', {}, { timeoutMs: 500 }).catch((error: unknown) => error);
    await trial.client.tools.call('echo', { name: 'Ada' });
    clock.advance(500);
    expect(await call).toMatchObject({ code: 'timeout' });
  });
});

it.each(['2025-11-25', '2026-07-28'] as const)(
  'a script samples, opens pages and has roots under %s',
  async (revision) => {
    const answers = { sample: ['hmm'], elicitUrl: ['accept'], roots: [{ uri: 'file:///a' }] } as const;
    await using trial = await createTestConnection(greeter(), { protocolVersion: revision, handlers: answers });
    const text = '{"type":"text","text":"hmm"} accept 1';
    expect((await trial.client.tools.call('muse')).content).toEqual([{ type: 'text', text }]);
  },
);

it('a trial can do without replay', async () => {
  const runs: string[] = [];
  const answers = { elicitForm: [{ name: 'Ada' }, { name: 'Bob' }] };
  await using trial = await createTestConnection(greeter(runs), {
    protocolVersion: '2025-11-25',
    handlers: answers,
    alwaysReplay: false,
  });
  await trial.client.tools.call('greet');
  expect(runs).toEqual(['run']);
});
