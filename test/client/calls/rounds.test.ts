/** `client.round` sends one round of a call; `answers` of a call are the handlers of that call alone. */
import { connect, createServer, prompt, resource, tool } from 'tenon';
import type { RequestOutcome } from 'tenon/protocol';
import { expect, it } from 'vitest';
import { z } from 'zod';
import { createDeferred } from '../../../src/lib/values/deferred.ts';

const city = z.object({ city: z.string() });
const server = createServer({
  name: 'asking',
  version: '1',
  tools: {
    trip: tool({}, async (_, ctx) => {
      const from = await ctx.elicit('from', { message: 'From?', schema: city });
      const to = await ctx.elicit('to', { message: 'To?', schema: city });
      return [from, to].map((answer) => (answer.action === 'accept' ? answer.content.city : answer.action)).join('-');
    }),
    plain: tool({}, () => 'plain'),
  },
  resources: { 'a://b': resource({}, () => 'text') },
  prompts: { hi: prompt({}, () => 'Hi') },
});

const never = { elicitForm: () => Promise.reject(new Error('the handlers of the client')) };
const params = { name: 'trip', arguments: {} };

const required = (outcome: RequestOutcome): Extract<RequestOutcome, { resultType: 'input_required' }> => {
  if (outcome.resultType !== 'input_required') throw new Error(`It is ${outcome.resultType}.`);
  return outcome;
};

it('rounds of one call are sent by different clients, each with the state of the last one [S31]', async () => {
  await using first = await connect(server, { handlers: never });
  await using second = await connect(server, { handlers: never });
  const one = required(await first.round('tools/call', params));
  expect(one.inputRequests.from).toMatchObject({ method: 'elicitation/create', params: { message: 'From?' } });
  const accept = (name: string) => ({ action: 'accept', content: { city: name } });
  const two = required(
    await second.round('tools/call', params, { round: { answers: { from: accept('Rome') }, state: one.state } }),
  );
  expect(Object.keys(two.inputRequests)).toEqual(['to']);
  const round = { answers: { to: accept('Oslo') }, state: two.state };
  expect(await first.round('tools/call', params, { round })).toMatchObject({
    resultType: 'complete',
    result: { content: [{ text: 'Rome-Oslo' }] },
    cache: { ttlMs: 0, scope: 'private' },
  });
  await expect(second.round('tools/call', params, { round: { ...round, state: 'forged' } })).rejects.toMatchObject({
    code: 'invalid-request-state',
  });
});

it.each([
  [{ answers: [] }, /"?round"? must be \{ answers, state \}/],
  [{ answers: {}, state: 1 }, /must be \{ answers, state \}/],
])('a wrong round %j is refused before anything is sent', async (round, message) => {
  await using client = await connect(server, { handlers: never });
  await expect(client.round('tools/call', params, { round } as never)).rejects.toThrow(message);
});

it('a session has no further rounds: the first one returns the result, and another is refused', async () => {
  await using client = await connect(server, { protocolVersions: ['2025-11-25'], handlers: never });
  expect(await client.round('tools/call', { name: 'plain', arguments: {} })).toMatchObject({ resultType: 'complete' });
  expect(await client.round('prompts/get', { name: 'hi' })).toMatchObject({ resultType: 'complete' });
  await expect(client.round('tools/call', params, { round: { answers: {} } })).rejects.toMatchObject({
    code: 'capability-not-supported',
    message: expect.stringMatching(/no rounds in protocol version 2025-11-25/),
  });
});

it.each(['2025-06-18', '2025-11-25', '2026-07-28'] as const)(
  'answers of a call are used for its server requests, and for no other call (%s) [S31]',
  async (revision) => {
    const elicitForm = () => ({ action: 'decline' as const });
    await using client = await connect(server, { protocolVersions: [revision], handlers: { elicitForm } });
    const answers = { elicitForm: () => ({ action: 'accept' as const, content: { city: 'Rome' } }) };
    expect(await client.tools.call('trip', {}, { answers })).toMatchObject({ content: [{ text: 'Rome-Rome' }] });
    expect(await client.tools.call('trip')).toMatchObject({ content: [{ text: 'decline-decline' }] });
  },
);

it('a request in a session that may belong to several calls goes to the handlers of the client', async () => {
  const asked = createDeferred<void>();
  const release = createDeferred<void>();
  const busy = createServer({
    name: 'busy',
    version: '1',
    tools: {
      wait: tool({}, async () => {
        asked.resolve();
        await release.promise;
        return 'waited';
      }),
      trip: tool({}, async (_, ctx) => (await ctx.elicit('from', { message: 'From?', schema: city })).action),
    },
  });
  await using client = await connect(busy, {
    protocolVersions: ['2025-11-25'],
    handlers: { elicitForm: () => ({ action: 'decline' }) },
  });
  const waiting = client.tools.call('wait');
  await asked.promise;
  const answers = { elicitForm: () => ({ action: 'cancel' as const }) };
  expect(await client.tools.call('trip', {}, { answers })).toMatchObject({ content: [{ text: 'decline' }] });
  release.resolve();
  await waiting;
  expect(await client.tools.call('trip', {}, { answers })).toMatchObject({ content: [{ text: 'cancel' }] });
});

it('answers that the client did not declare are refused with the place', async () => {
  await using client = await connect(server, { handlers: never });
  const answers = {
    sample: () => ({ model: 'm', role: 'assistant' as const, content: { type: 'text' as const, text: '' } }),
  };
  await expect(client.tools.call('plain', {}, { answers })).rejects.toThrow(/answers\.sample.*"handlers" of connect/);
});
