/** Server requests that are rejected before they are sent: too late, with the wrong method, with an invalid key. */
import type { Schema } from 'tenon';

import type { Context, FormElicitation, PlainFormElicitation } from 'tenon/server';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { deferred } from '../../kit/deferred.ts';
import { form, formModes, opened, run } from '../../kit/server-request-modes.ts';

const codeOf = (request: Promise<unknown>): Promise<unknown> =>
  request.then(
    () => 'done',
    ({ code }) => code,
  );

/** The outcome of every kind of server request and of a step. */
const requestAll = ({ elicit, sample, listRoots, requestInput, step }: Context): Promise<unknown[]> =>
  Promise.all(
    [
      elicit('a', form('a')),
      sample('b', { messages: [], maxTokens: 1 }),
      listRoots(),
      requestInput({ c: form('c') }),
      step('d', () => 1),
    ].map(codeOf),
  );

describe.each(formModes)('A form with multiple choice, $name', (mode) => {
  it('is sent if the revision supports it, and else is an error that the handler can catch', async () => {
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

describe.each(formModes)('A handler that repeats a failing server request, $name', (mode) => {
  const failingForm = {
    handlers: {
      elicitForm: () => {
        throw new Error('no user');
      },
    },
  };

  it('does not block other requests, and ends with its call', async () => {
    const begun = deferred();
    const { client } = await opened(
      mode,
      async ({ elicit }) => {
        begun.resolve();
        for (;;) await elicit('a', form('a')).catch(() => {});
      },
      failingForm,
    );
    const caller = new AbortController();
    const outcome = client.tools.call('it', {}, { signal: caller.signal }).catch(({ code }) => code);
    await begun.promise;
    expect((await client.tools.list().all()).length).toBe(1);
    caller.abort();
    expect(['cancelled', -32603]).toContain(await outcome);
    await client.close();
  });

  it('is not stopped if it ends by itself', async () => {
    const { client } = await opened(
      mode,
      async ({ listRoots }) => {
        let failed = 0;
        for (let n = 0; n < 1100; n++) await listRoots(`r${n}`).catch(() => failed++);
        return `${failed} failed`;
      },
      failingForm,
    );
    expect(await run(client)).toBe('1100 failed');
    await client.close();
  });
});

describe.each(formModes)('A server request, $name', (mode) => {
  /** Client handlers that count their calls. */
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

  it('that is sent after the call has returned does not reach the client', async () => {
    const returned = deferred();
    const late = deferred<unknown[]>();
    const { answers, requested } = counting();
    const { client } = await opened(
      mode,
      (context) => {
        void returned.promise.then(() => requestAll(context)).then(late.resolve);
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

  it('that is sent after the call was cancelled does not reach the client', async () => {
    const begun = deferred();
    const late = deferred<unknown[]>();
    const { answers, requested } = counting();
    const { client } = await opened(
      mode,
      async (context) => {
        const aborted = new Promise((resolve) => context.signal.addEventListener('abort', resolve));
        begun.resolve();
        await aborted;
        late.resolve(await requestAll(context));
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
    ['a form to ctx.sample', ({ sample }) => sample('a', form('a') as never)],
    ['a sampling request to ctx.elicit', ({ elicit }) => elicit('a', { messages: [], maxTokens: 1 } as never)],
    ['roots to ctx.elicit', ({ elicit }) => elicit('a', 'roots' as never)],
    ['undefined to ctx.elicit', ({ elicit }) => elicit('a', undefined as never)],
    ['undefined to ctx.requestInput', ({ requestInput }) => requestInput({ a: undefined as never })],
    ['a form with the key __proto__', ({ elicit }) => elicit('__proto__', form('a'))],
    ['forms with the key __proto__', ({ requestInput }) => requestInput({ ['__proto__']: form('a') })],
  ];

  it.each(misplaced)('that passes %s is rejected', async (_, misuse) => {
    const { answers, requested } = counting();
    const { client } = await opened(mode, async (context) => String(await codeOf(misuse(context))), {
      handlers: answers,
    });
    expect(await run(client)).toBe('invalid-outgoing-message');
    expect(requested()).toBe(0);
    await client.close();
  });

  it.each(['constructor', 'toString', 'hasOwnProperty', ''])('can have the key %j', async (key) => {
    const { answers, requested } = counting();
    const handler = async ({ elicit, step }: Context) =>
      `${await step(key, () => 1)} ${(await elicit(key, form('a'))).action}`;
    const { client } = await opened(mode, handler, { handlers: answers });
    expect(await run(client)).toBe('1 decline');
    expect(requested()).toBe(1);
    await client.close();
  });

  it('can follow a step with the key __proto__', async () => {
    const { answers } = counting();
    const handler = async ({ elicit, step }: Context) =>
      `${await step('__proto__', () => 1)} ${(await elicit('a', form('a'))).action}`;
    const { client } = await opened(mode, handler, { handlers: answers });
    expect(await run(client)).toBe('1 decline');
    await client.close();
  });
});

describe.each(formModes)('A form that cannot be sent is an error with the name of the field, $name:', (mode) => {
  const name = z.string();
  it.each<[string, FormElicitation<Schema> | PlainFormElicitation, string, string]>([
    [
      'an object',
      { message: 'Where?', schema: z.object({ name, address: z.object({ city: z.string() }) }) },
      'schema.address',
      'is an object, and a form is flat',
    ],
    [
      'a list of strings',
      { message: 'Which?', schema: z.object({ name, tags: z.array(z.string()) }) },
      'schema.tags',
      'is a list, and a form has only lists of choices',
    ],
    ['a UUID', { message: 'Which?', schema: z.object({ name, id: z.uuid() }) }, 'schema.id', 'has the format "uuid"'],
    [
      'a string or null',
      { message: 'Which?', schema: z.object({ name, nick: z.string().nullable() }) },
      'schema.nick',
      'has several types or a reference',
    ],
    [
      'an object in a JSON Schema',
      { message: 'Where?', requestedSchema: { type: 'object', properties: { address: { type: 'object' } as never } } },
      'requestedSchema.address',
      'is an object, and a form is flat',
    ],
  ])('%s', async (_what, request, place, problem) => {
    const errors: unknown[] = [];
    const { client } = await opened(
      mode,
      async ({ elicit }) => {
        await elicit('a', request as FormElicitation<Schema>).catch((error: unknown) => errors.push(error));
        return 'done';
      },
      { handlers: { elicitForm: () => ({ action: 'decline' }) } },
    );
    expect(await run(client)).toBe('done');
    expect(errors).toEqual([
      expect.objectContaining({
        code: 'invalid-outgoing-message',
        message: expect.stringContaining(
          `The request "a" cannot be sent: ${place} ${problem}; the schema of a form must`,
        ),
        details: { place },
      }),
    ]);
    await client.close();
  });
});

describe.each(formModes)(
  'A mistake that only JavaScript allows is an error that says what to write, $name:',
  (mode) => {
    it.each<[string, (ctx: Context) => Promise<unknown>, string, string]>([
      [
        'no message',
        ({ elicit }) => elicit('a', { mesage: 'Which?', schema: z.object({ name: z.string() }) } as never),
        'invalid-outgoing-message',
        'message is missing',
      ],
      [
        'no key',
        ({ elicit }) => elicit(form('a') as never, undefined as never),
        'invalid-argument',
        "ctx.elicit('a-name'",
      ],
      [
        'no key of a step',
        ({ step }) => step((() => 1) as never, undefined as never),
        'invalid-argument',
        "ctx.step('a-name'",
      ],
    ])('%s', async (_what, mistake, code, text) => {
      const errors: unknown[] = [];
      const handler = async (ctx: Context) => {
        await mistake(ctx).catch((error: unknown) => errors.push(error));
        return 'done';
      };
      const { client } = await opened(mode, handler, { handlers: { elicitForm: () => ({ action: 'decline' }) } });
      expect(await run(client)).toBe('done');
      expect(errors).toEqual([expect.objectContaining({ code, message: expect.stringContaining(text) })]);
      await client.close();
    });
  },
);
