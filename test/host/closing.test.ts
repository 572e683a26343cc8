/** Elicitations without an answer: each is reported as a decision, and a closing host shows none. */

import type { ProtocolVersion } from 'tenon';
import { createServer, tool, toText } from 'tenon';
import { createHost, type Decision, type HostElicitRequest, type HostOptions } from 'tenon/host';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { deferred } from '../kit/deferred.ts';
import { versionsFrom } from '../kit/version-order.ts';

const requestingServer = () =>
  createServer(
    {
      name: 'requesting',
      version: '1.0.0',
      tools: {
        greet: tool({}, async (_, ctx) => {
          const answer = await ctx.elicit('name', { message: 'Your name?', schema: z.object({ name: z.string() }) });
          return answer.action;
        }),
        think: tool({}, async (_, ctx) => {
          const messages = [{ role: 'user' as const, content: { type: 'text' as const, text: 'Who am I?' } }];
          return JSON.stringify(await ctx.sample('who', { messages, maxTokens: 5 }));
        }),
      },
    },
    { secrets: ['a secret of sixteen and more'], onError: () => {} },
  );

function hosting(revision: ProtocolVersion, options: Partial<HostOptions>) {
  const decisions: Decision[] = [];
  const host = createHost({
    servers: { a: requestingServer(), b: requestingServer() },
    consent: 'allow-all',
    connectOptions: { protocolVersions: [revision] },
    onDecision: (decision) => decisions.push(decision),
    ...options,
  });
  const about = (kind: string) =>
    decisions.flatMap((one) => (one.type === kind ? [[one.server, one.decision, one.by]] : []));
  return { host, decisions, about };
}

const eliciting = versionsFrom('2025-06-18');

describe.each(eliciting)('under %s an elicitation', (revision) => {
  it('that cannot be shown is reported as a decision', async () => {
    const elicit = (): never => {
      throw new Error('no screen');
    };
    const { host, about } = hosting(revision, { elicit });
    await host.tools.call('a__greet').catch(() => {});
    expect(about('elicit')).toEqual([['a', 'deny', 'failure']]);
    await host.close();
  });

  it('without an answer is reported as a decision', async () => {
    const { host, about } = hosting(revision, { elicit: () => undefined as never });
    await host.tools.call('a__greet').catch(() => {});
    expect(about('elicit')).toEqual([['a', 'deny', 'failure']]);
    await host.close();
  });

  it('is aborted when the host closes, and no other is shown', async () => {
    const shown: string[] = [];
    const first = deferred<HostElicitRequest>();
    const elicit = (request: HostElicitRequest) => {
      shown.push(request.server);
      first.resolve(request);
      return new Promise<never>(() => {});
    };
    const { host, about } = hosting(revision, { elicit });
    const answers = [host.tools.call('a__greet'), host.tools.call('b__greet')].map((call) =>
      call.then(toText, (error) => error),
    );
    // Either of them may come first.
    const { signal, server } = await first.promise;
    await host.close();
    expect([shown, signal.aborted]).toEqual([[server], true]);
    expect(about('elicit').map(([, ...how]) => how)).toContainEqual(['deny', 'cancelled']);
    expect((await Promise.all(answers))[server === 'a' ? 0 : 1]).toBe('cancel');
  });
});

it('an elicitation of a cancelled call is reported as a decision', async () => {
  const shown = deferred();
  const elicit = () => {
    shown.resolve();
    return new Promise<never>(() => {});
  };
  const { host, about } = hosting('2026-07-28', { elicit });
  const cancelling = new AbortController();
  const call = host.tools.call('a__greet', {}, { signal: cancelling.signal });
  await shown.promise;
  cancelling.abort();
  await expect(call).rejects.toMatchObject({ code: 'cancelled' });
  expect(about('elicit')).toEqual([['a', 'deny', 'cancelled']]);
  await host.close();
});

it.each([
  ['sample', 'sample'],
  ['sampleResult', 'sampleResult'],
] as const)('the reason of the hook %s is in the error of the call and in the decision', async (hook, kind) => {
  const model = { role: 'assistant' as const, model: 'm', content: { type: 'text' as const, text: 'x' } };
  const { host, decisions } = hosting('2026-07-28', {
    sample: () => model,
    consent: { tool: () => 'allow', sample: () => 'allow', [hook]: () => ({ deny: 'it is late' }) },
  });
  await expect(host.tools.call('a__think')).rejects.toMatchObject({
    code: 'server-request-failed',
    message: expect.stringContaining('it is late'),
  });
  expect(decisions.at(-1)).toMatchObject({ type: kind, decision: 'deny', by: 'hook', reason: 'it is late' });
  await host.close();
});

it('onDecision may be async and reject', async () => {
  const warned = deferred<Error>();
  const mine = new Error('mine');
  const reject = async (): Promise<never> => {
    throw mine;
  };
  const { host } = hosting('2026-07-28', { onDecision: reject, onWarning: (_, error) => warned.resolve(error) });
  await host.tools.call('a__greet').catch(() => {});
  expect(await warned.promise).toMatchObject({ code: 'callback-failed', cause: mine });
  await host.close();
});
