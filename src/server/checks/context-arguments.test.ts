/** Wrong arguments of context methods throw at the call, whatever the client wants to receive. */
import { createServer, tool } from 'tenon';
import { protocolVersions } from 'tenon/protocol';
import type { Context } from 'tenon/server';
import { createTestConnection } from 'tenon/test';
import { describe, expect, it } from 'vitest';

describe.each(protocolVersions)('Under %s a handler gets invalid-argument for', (protocolVersion) => {
  const levels = 'debug, info, notice, warning, error, critical, alert, emergency';

  it.each<[string, (ctx: Context) => void, { message: string; place: string }]>([
    [
      'a level that resembles another',
      (ctx) => ctx.log('warn' as never, 'low'),
      {
        message: `ctx.log(): "warn" is not a level. The level must be one of ${levels}; did you mean warning?`,
        place: 'level',
      },
    ],
    [
      'a level that resembles none',
      (ctx) => ctx.log('verbose' as never, 'low'),
      { message: `ctx.log(): "verbose" is not a level. The level must be one of ${levels}.`, place: 'level' },
    ],
    [
      'a message in place of the level',
      (ctx) => ctx.log({ text: 'low' } as never, undefined),
      { message: `ctx.log(): an object is not a level. The level must be one of ${levels}.`, place: 'level' },
    ],
    [
      'progress that is a string',
      (ctx) => ctx.reportProgress('1' as never),
      {
        message:
          "ctx.reportProgress(): progress is a string. progress must be a number, as in ctx.reportProgress(1, 10, 'Reading').",
        place: 'progress',
      },
    ],
    [
      'a total that is null',
      (ctx) => ctx.reportProgress(1, null as never),
      {
        message:
          "ctx.reportProgress(): total is null. total must be a number, or left out, as in ctx.reportProgress(1, 10, 'Reading').",
        place: 'total',
      },
    ],
    [
      'a message of progress that is a list',
      (ctx) => ctx.reportProgress(1, 2, ['x'] as never),
      {
        message:
          "ctx.reportProgress(): message is a list. message must be a string, or left out, as in ctx.reportProgress(1, 10, 'Reading').",
        place: 'message',
      },
    ],
  ])('%s; the model gets a failed tool', async (_what, run, { message, place }) => {
    const errors: unknown[] = [];
    const server = createServer(
      {
        name: 'x',
        version: '1',
        tools: {
          a: tool({}, (_args, ctx) => {
            run(ctx);
            return 'done';
          }),
        },
      },
      { onError: (error) => errors.push(error) },
    );
    await using trial = await createTestConnection(server, { protocolVersion });
    const result = await trial.client.tools.call('a', {});
    expect(result).toMatchObject({ isError: true, content: [{ type: 'text', text: 'The tool a failed.' }] });
    expect(errors).toEqual([expect.objectContaining({ code: 'invalid-argument', message, details: { place } })]);
  });

  it('neither a valid level nor a number that does not grow', async () => {
    const server = createServer({
      name: 'x',
      version: '1',
      tools: {
        a: tool({}, (_args, { log, reportProgress }) => {
          log('warning', 'low');
          for (const progress of [2, 1, Number.NaN]) reportProgress(progress);
          return 'done';
        }),
      },
    });
    await using trial = await createTestConnection(server, { protocolVersion });
    expect(await trial.client.tools.call('a', {})).not.toHaveProperty('isError');
  });
});
