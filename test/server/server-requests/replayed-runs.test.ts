/** What a handler says and remembers over several rounds. */

import { connect, type ProtocolVersion } from 'tenon';
import type { Context } from 'tenon/server';
import { createMemoryTransports } from 'tenon/transport';
import { describe, expect, it } from 'vitest';
import { envelope, type Json, openRaw, request } from '../../kit/channel/raw-connection.ts';
import { filledBy, form, formModes, opened, repeatingModes, run, serverOf } from '../../kit/server-request-modes.ts';

const answers = { elicitForm: filledBy({}) };
const ask = (context: Context, key: string) => context.elicit(key, form(key));

describe.each(formModes)('What a handler says, $name', (mode) => {
  it('is heard once and in order, however often it runs', async () => {
    const logs: unknown[] = [];
    const progress: unknown[] = [];
    const { client } = await opened(
      mode,
      async (context) => {
        const send = (what: string, far: number): void => {
          context.log('info', what);
          context.reportProgress(far);
        };
        send('begin', 1);
        await context.step('s', () => send('in the step', 2));
        send('before a', 3);
        await ask(context, 'a');
        send('after a', 4);
        await Promise.all([ask(context, 'b'), ask(context, 'c')]);
        send('after b and c', 5);
        await context.step('t', () => 1);
        await ask(context, 'd');
        send('end', 6);
        return 'done';
      },
      { handlers: answers, logLevel: 'debug', onLog: ({ data }) => logs.push(data) },
    );
    await client.tools.call('it', {}, { onProgress: (notified) => progress.push(notified.progress) });
    expect(logs).toEqual(['begin', 'in the step', 'before a', 'after a', 'after b and c', 'end']);
    expect(progress).toEqual([1, 2, 3, 4, 5, 6]);
  });

  it('is not doubled by branches that run side by side', async () => {
    const logs: unknown[] = [];
    const { client } = await opened(
      mode,
      async (context) => {
        const branch = async (name: string): Promise<void> => {
          context.log('info', `${name} begins`);
          await ask(context, name);
          context.log('info', `${name} ends`);
        };
        await Promise.all([branch('a'), branch('b'), branch('c')]);
        return 'done';
      },
      { handlers: answers, logLevel: 'debug', onLog: ({ data }) => logs.push(data) },
    );
    await client.tools.call('it');
    expect(logs).toEqual(['a begins', 'b begins', 'c begins', 'a ends', 'b ends', 'c ends']);
  });
});

describe.each(formModes)('A step, $name', (mode) => {
  it('runs once for all rounds of a call and again for another call', async () => {
    let made = 0;
    const { client } = await opened(
      mode,
      async (context) => {
        const one = await context.step('n', () => (made += 1));
        await ask(context, 'a');
        await ask(context, 'b');
        return `${one} ${await context.step('n', () => (made += 1))}`;
      },
      { handlers: answers },
    );
    expect(await run(client)).toBe('1 1');
    expect(await run(client)).toBe('2 2');
  });

  it('is shared by those who run it at once, and gives what it gave, also nothing', async () => {
    let made = 0;
    const given: unknown[] = [];
    const { client } = await opened(
      mode,
      async (context) => {
        const step = () => context.step('n', async () => ({ n: (made += 1), none: null }));
        const both = await Promise.all([step(), step()]);
        const nothing = await context.step('void', () => {});
        const isNull = await context.step('null', () => null);
        await ask(context, 'a');
        given.push(both, nothing, isNull);
        return 'done';
      },
      { handlers: answers },
    );
    await run(client);
    expect(made).toBe(1);
    expect(given).toEqual([
      [
        { n: 1, none: null },
        { n: 1, none: null },
      ],
      undefined,
      null,
    ]);
  });

  it('remembers what it gave, not what became of it', async () => {
    const seen: unknown[] = [];
    const { client } = await opened(
      mode,
      async (context) => {
        const list = await context.step('list', () => ['a']);
        list.push('b');
        await ask(context, 'a');
        seen.push(list);
        return 'done';
      },
      { handlers: answers },
    );
    await run(client);
    expect(seen).toEqual([['a', 'b']]);
  });

  it.each<[string, () => unknown]>([
    ['a Date', () => new Date(0)],
    ['a Map', () => new Map()],
    ['NaN', () => Number.NaN],
    ['a bigint', () => 1n],
    ['a function', () => ({ deep: [() => 1] })],
    ['undefined in a list', () => [undefined]],
  ])('that gives %s fails by name before anything is asked', async (_what, give) => {
    const { client } = await opened(
      mode,
      async (context) =>
        context.step('s', give).then(
          () => 'taken',
          (error) => error.code,
        ),
      { handlers: answers },
    );
    expect(await run(client)).toBe('invalid-outgoing-message');
  });

  it('that fails is not remembered and may be tried again', async () => {
    let tries = 0;
    const { client } = await opened(mode, async (context) => {
      const attempt = () =>
        context.step('s', () => {
          tries += 1;
          if (tries === 1) throw new Error('not yet');
          return tries;
        });
      await attempt().catch(() => {});
      return String(await attempt());
    });
    expect(await run(client)).toBe('2');
  });
});

describe.each(repeatingModes)('The context, $name', (mode) => {
  it('has one call id for all rounds of a call, and counts them', async () => {
    const ids = new Set<string>();
    const rounds: number[] = [];
    const { client } = await opened(
      mode,
      async (context) => {
        ids.add(context.callId);
        rounds.push(context.round);
        await ask(context, 'a');
        await ask(context, 'b');
        return 'done';
      },
      { handlers: answers },
    );
    await run(client);
    expect(ids.size).toBe(1);
    expect(rounds).toEqual([0, 1, 2]);
  });
});

describe('A round without all answers', () => {
  const elicitation = { 'io.modelcontextprotocol/clientCapabilities': { elicitation: {} } };
  const accepted = (text: string): Json => ({ action: 'accept', content: { value: text } });
  const logging = { ...elicitation, 'io.modelcontextprotocol/logLevel': 'debug' };

  it('is asked for the missing ones again, keeps the others, ignores what was not asked, and repeats no log', async () => {
    const server = serverOf(async (context) => {
      await context.step('s', () => 1);
      context.log('info', 'before');
      const both = await Promise.all([ask(context, 'b'), ask(context, 'a')]);
      context.log('info', 'after');
      return JSON.stringify(both.map((answer) => (answer.action === 'accept' ? answer.content.value : '')));
    });
    const raw = openRaw(server);
    const received: Json[] = [];
    const call = async (id: number, round: Json): Promise<Json> => {
      raw.send(request(id, 'tools/call', envelope({ name: 'it', arguments: {}, ...round }, logging)));
      for (;;) {
        const message = await raw.next();
        if (message.id === id) return message.result as Json;
        received.push((message.params as Json).data as Json);
      }
    };
    const first = await call(1, {});
    expect(Object.keys(first.inputRequests as Json)).toEqual(['b', 'a']);
    const second = await call(2, {
      inputResponses: { a: accepted('A'), z: accepted('Z') },
      requestState: first.requestState,
    });
    expect(Object.keys(second.inputRequests as Json)).toEqual(['b']);
    const third = await call(3, {
      inputResponses: { a: accepted('X'), b: accepted('B') },
      requestState: second.requestState,
    });
    expect(third.content).toEqual([{ type: 'text', text: '["B","A"]' }]);
    expect(received).toEqual(['before', 'after']);
  });

  it('asks again when answers come without state', async () => {
    const raw = openRaw(serverOf(async (context) => (await ask(context, 'a')).action));
    raw.send(request(1, 'tools/call', envelope({ name: 'it', inputResponses: { a: accepted('A') } }, elicitation)));
    expect((await raw.next()).result).toMatchObject({ resultType: 'input_required', inputRequests: { a: {} } });
  });
});

describe('A client that hears of changes while it answers', () => {
  it.each<ProtocolVersion>(['2026-07-28', '2025-11-25'])('goes on with other calls, %s', async (revision) => {
    const server = serverOf(async (context) => (await ask(context, 'a')).action);
    const [here, there] = createMemoryTransports();
    server.accept(there);
    const client = await connect(here, {
      protocolVersions: [revision],
      handlers: {
        elicitForm: async () => {
          expect(await client.tools.list().all()).toHaveLength(1);
          return { action: 'decline' };
        },
      },
    });
    expect(await run(client)).toBe('decline');
  });
});
