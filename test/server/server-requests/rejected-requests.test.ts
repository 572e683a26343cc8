/** Questions that are refused before the client hears of them: too late, by the wrong method, under an unusable key. */

import type { Context } from 'tenon/server';
import { describe, expect, it } from 'vitest';
import { deferred } from '../../kit/deferred.ts';
import { form, formModes, opened, run } from '../../kit/server-request-modes.ts';

const codeOf = (request: Promise<unknown>): Promise<unknown> =>
  request.then(
    () => 'done',
    ({ code }) => code,
  );

/** What comes of everything that a handler can ask. */
const askAll = ({ elicit, sample, listRoots: roots, requestInput: ask, step }: Context): Promise<unknown[]> =>
  Promise.all(
    [
      elicit('a', form('a')),
      sample('b', { messages: [], maxTokens: 1 }),
      roots(),
      ask({ c: form('c') }),
      step('d', () => 1),
    ].map(codeOf),
  );

describe.each(formModes)('A choice of several, $name', (mode) => {
  it('is asked where the revision has it, and elsewhere an error that the handler can catch', async () => {
    const items = { type: 'string' as const, enum: ['a', 'b'] };
    const several = { x: { type: 'array' as const, items } };
    const { client, failures } = await opened(
      mode,
      ({ elicit }) =>
        elicit('a', { message: 'Which?', requestedSchema: { type: 'object', properties: several } }).then(
          (answer) => JSON.stringify(answer),
          ({ code }) => code,
        ),
      { handlers: { elicitForm: () => ({ action: 'accept', content: { x: ['b'] } }) } },
    );
    const answer = '{"action":"accept","content":{"x":["b"]}}';
    expect(await run(client)).toBe(mode.revision === '2025-06-18' ? 'invalid-outgoing-message' : answer);
    expect(failures).toEqual([]);
    await client.close();
  });
});

describe.each(formModes)('A handler that asks again and again under one key what is not answered, $name', (mode) => {
  const noClient = {
    handlers: {
      elicitForm: () => {
        throw new Error('nobody is there');
      },
    },
  };

  it('leaves turns to others, and ends with its call', async () => {
    const begun = deferred();
    const { client } = await opened(
      mode,
      async ({ elicit }) => {
        begun.resolve();
        for (;;) await elicit('a', form('a')).catch(() => {});
      },
      noClient,
    );
    const patience = new AbortController();
    const outcome = client.tools.call('it', {}, { signal: patience.signal }).catch(({ code }) => code);
    await begun.promise;
    expect((await client.tools.list().all()).length).toBe(1);
    patience.abort();
    expect(['cancelled', -32603]).toContain(await outcome);
    await client.close();
  });

  it('is not cut off where it comes to an end by itself', async () => {
    const { client } = await opened(
      mode,
      async ({ listRoots: roots }) => {
        let vain = 0;
        for (let n = 0; n < 1100; n++) await roots(`r${n}`).catch(() => vain++);
        return `${vain} in vain`;
      },
      noClient,
    );
    expect(await run(client)).toBe('1100 in vain');
    await client.close();
  });
});

describe.each(formModes)('A question, $name', (mode) => {
  /** Answers that count how often the user is asked. */
  const counting = () => {
    let requested = 0;
    const count =
      <T>(answer: T) =>
      () => {
        requested += 1;
        return answer;
      };
    const answers = {
      elicitForm: count({ action: 'decline' as const }),
      sample: count({ model: 'm', role: 'assistant' as const, content: { type: 'text' as const, text: 'x' } }),
      roots: count([]),
    };
    return { answers, requested: () => requested };
  };

  it('that is first asked after the call has returned reaches nobody', async () => {
    const returned = deferred();
    const late = deferred<unknown[]>();
    const { answers, requested } = counting();
    const { client } = await opened(
      mode,
      (context) => {
        void returned.promise.then(() => askAll(context)).then(late.resolve);
        return 'done';
      },
      { handlers: answers },
    );
    expect(await run(client)).toBe('done');
    returned.resolve();
    expect(await late.promise).toEqual(Array(5).fill('input-required'));
    await client.tools.list().all();
    expect(requested()).toBe(0);
    await client.close();
  });

  it('that is first asked after the call was cancelled reaches nobody', async () => {
    const begun = deferred();
    const late = deferred<unknown[]>();
    const { answers, requested } = counting();
    const { client } = await opened(
      mode,
      async (context) => {
        const aborted = new Promise((resolve) => context.signal.addEventListener('abort', resolve));
        begun.resolve();
        await aborted;
        late.resolve(await askAll(context));
        return 'done';
      },
      { handlers: answers },
    );
    const caller = new AbortController();
    const called = client.tools.call('it', {}, { signal: caller.signal });
    await begun.promise;
    caller.abort();
    await expect(called).rejects.toMatchObject({ code: 'cancelled' });
    expect(await late.promise).toEqual(Array(5).fill('input-required'));
    await client.tools.list().all();
    expect(requested()).toBe(0);
    await client.close();
  });

  const misplaced: Array<[string, (context: Context) => Promise<unknown>]> = [
    ['a form by ctx.sample', ({ sample }) => sample('a', form('a') as never)],
    ['a message to a model by ctx.elicit', ({ elicit }) => elicit('a', { messages: [], maxTokens: 1 } as never)],
    ['roots by ctx.elicit', ({ elicit }) => elicit('a', 'roots' as never)],
    ['nothing by ctx.elicit', ({ elicit }) => elicit('a', undefined as never)],
    ['nothing by ctx.ask', ({ requestInput: ask }) => ask({ a: undefined as never })],
    ['a form under the key __proto__', ({ elicit }) => elicit('__proto__', form('a'))],
    ['forms under the key __proto__', ({ requestInput: ask }) => ask({ ['__proto__']: form('a') })],
  ];

  it.each(misplaced)('that asks for %s is refused', async (_, ask) => {
    const { answers, requested } = counting();
    const { client } = await opened(mode, async (context) => String(await codeOf(ask(context))), { handlers: answers });
    expect(await run(client)).toBe('invalid-outgoing-message');
    expect(requested()).toBe(0);
    await client.close();
  });

  it.each(['constructor', 'toString', 'hasOwnProperty', ''])('may have the key %j', async (key) => {
    const { answers, requested } = counting();
    const handler = async ({ elicit, step }: Context) =>
      `${await step(key, () => 1)} ${(await elicit(key, form('a'))).action}`;
    const { client } = await opened(mode, handler, { handlers: answers });
    expect(await run(client)).toBe('1 decline');
    expect(requested()).toBe(1);
    await client.close();
  });

  it('may follow a step of the key __proto__', async () => {
    const { answers } = counting();
    const handler = async ({ elicit, step }: Context) =>
      `${await step('__proto__', () => 1)} ${(await elicit('a', form('a'))).action}`;
    const { client } = await opened(mode, handler, { handlers: answers });
    expect(await run(client)).toBe('1 decline');
    await client.close();
  });
});
