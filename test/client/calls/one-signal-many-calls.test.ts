import { getEventListeners } from 'node:events';
import { connect, createServer, type ProtocolVersion, tool } from 'tenon';
import { protocolVersions } from 'tenon/protocol';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { deferred } from '../../kit/deferred.ts';

const many = 30;
const formRevisions: readonly ProtocolVersion[] = ['2025-06-18', '2025-11-25', '2026-07-28'];

const warnings: Error[] = [];
const warned = (warning: Error): void => void warnings.push(warning);
beforeEach(() => {
  warnings.length = 0;
  process.on('warning', warned);
});
afterEach(() => {
  process.off('warning', warned);
});

/** Node emits warnings in a later turn of the event loop. */
const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

describe.each(protocolVersions)('Many calls with one signal, at %s,', (revision) => {
  it('cause no warning, are all cancelled by it, and leave no listener on it', async () => {
    const begun = deferred();
    let running = 0;
    const hang = tool({}, () => {
      running += 1;
      if (running === many) begun.resolve();
      return new Promise<string>(() => {});
    });
    const server = createServer({ name: 's', version: '1', tools: { hang, say: tool({}, () => 'x') } });
    await using client = await connect(server, { protocolVersions: [revision] });
    const { signal, abort } = ((own) => ({ signal: own.signal, abort: () => own.abort('enough') }))(
      new AbortController(),
    );
    await Promise.all(Array.from({ length: many }, () => client.tools.call('say', {}, { signal })));
    expect(getEventListeners(signal, 'abort')).toEqual([]);
    const calls = Array.from({ length: many }, () => client.tools.call('hang', {}, { signal }));
    await begun.promise;
    expect(getEventListeners(signal, 'abort')).toHaveLength(1);
    abort();
    const outcomes = await Promise.allSettled(calls);
    expect(outcomes.map((one) => one.status === 'rejected' && one.reason.code)).toEqual(Array(many).fill('cancelled'));
    await turn();
    expect(warnings).toEqual([]);
  });
});

describe.each(formRevisions)('Many calls with elicitations at the same time, at %s,', (revision) => {
  it.each(['one signal', 'no signal'])('cause no warning with %s, even if every handler listens', async (shared) => {
    const requested = deferred();
    const go = deferred();
    let forms = 0;
    const ask = tool({}, async (_given, { requestInput }) => {
      const elicitation = { message: 'sure?', requestedSchema: { type: 'object' as const, properties: {} } };
      return Object.keys(await requestInput({ a: elicitation, b: elicitation, c: elicitation })).join();
    });
    const server = createServer({ name: 's', version: '1', tools: { ask } });
    await using client = await connect(server, {
      protocolVersions: [revision],
      handlers: {
        elicitForm: async (_request, { signal }) => {
          signal.addEventListener('abort', () => {});
          forms += 1;
          if (forms === many) requested.resolve();
          await go.promise;
          return { action: 'decline' };
        },
      },
    });
    const options = shared === 'one signal' ? { signal: new AbortController().signal } : {};
    const calls = Array.from({ length: many / 3 + 2 }, () => client.tools.call('ask', {}, options));
    await requested.promise;
    go.resolve();
    for (const result of await Promise.all(calls)) expect(result.content).toMatchObject([{ text: 'a,b,c' }]);
    await turn();
    expect(warnings).toEqual([]);
  });
});
