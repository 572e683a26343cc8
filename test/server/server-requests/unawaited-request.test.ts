/** A server request that its handler does not await. */

import { describe, expect, it } from 'vitest';
import { deferred } from '../../kit/deferred.ts';
import { filledBy, form, formModes, type Handler, opened, run } from '../../kit/server-request-modes.ts';

async function awaitedLater(answer: Promise<{ readonly action: string }>): Promise<string> {
  await Promise.resolve();
  return (await answer).action;
}

describe.each(formModes)('A server request that is not awaited, $name', (mode) => {
  it('rejects when the handler has returned, and does not crash the process', async () => {
    const rejected = deferred();
    const { client } = await opened(
      mode,
      (context) => {
        context.elicit('late', form('late')).catch((error) => rejected.resolve(error));
        void context.elicit('later', form('later'));
        return 'did not wait';
      },
      { handlers: { elicitForm: filledBy({}) } },
    );
    expect(await run(client)).toBe('did not wait');
    expect(await rejected.promise).toMatchObject({ code: mode.repeats ? 'input-required' : 'server-request-failed' });
  });

  it('is reported to onError, with the call to await', async () => {
    const { client, failures } = await opened(
      mode,
      async (context) => {
        const answer = context.elicit('people', form('how many'));
        return (answer as unknown as { action?: string }).action === 'accept' ? 'booked' : 'not booked';
      },
      { handlers: { elicitForm: filledBy({}) } },
    );
    expect(await run(client)).toBe('not booked');
    expect(failures).toMatchObject([{ hint: 'Write await ctx.elicit("people", …).' }]);
  });

  it.each<[string, Handler]>([
    ['awaited', async (context) => (await context.elicit('a', form('a'))).action],
    ['awaited later', async (context) => awaitedLater(context.elicit('a', form('a')))],
    ['returned', (context) => context.elicit('a', form('a')).then(({ action }) => action)],
    [
      'in a race',
      async (context) => (await Promise.race([context.elicit('a', form('a')), new Promise<never>(() => {})])).action,
    ],
  ])('is not reported when it is %s', async (_, handler) => {
    const { client, failures } = await opened(mode, handler, { handlers: { elicitForm: filledBy({}) } });
    expect(await run(client)).toBe('accept');
    expect(failures).toEqual([]);
  });
});
