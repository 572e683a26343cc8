/** Logs, progress and steps of a handler over several rounds. */

import { connect, type ProtocolVersion } from 'tenon';
import type { Context } from 'tenon/server';
import { createMemoryTransports } from 'tenon/transport';
import { describe, expect, it } from 'vitest';
import { filledBy, form, formModes, opened, repeatingModes, run, serverOf } from '../../kit/server-request-modes.ts';
import { envelope, type Json, openRaw, request } from '../../kit/transport/raw-connection.ts';

const answers = { elicitForm: filledBy({}) };
const elicit = (context: Context, key: string) => context.elicit(key, form(key));

describe.each(formModes)('Logs and progress of a handler, $name', (mode) => {
  it('are sent once and in order, however often it runs', async () => {
    const logs: unknown[] = [];
    const progress: unknown[] = [];
    const { client } = await opened(
      mode,
      async (context) => {
        const report = (text: string, progress: number): void => {
          context.log('info', text);
          context.reportProgress(progress);
        };
        report('begin', 1);
        await context.step('s', () => report('in the step', 2));
        report('before a', 3);
        await elicit(context, 'a');
        report('after a', 4);
        await Promise.all([elicit(context, 'b'), elicit(context, 'c')]);
        report('after b and c', 5);
        await context.step('t', () => 1);
        await elicit(context, 'd');
        report('end', 6);
        return 'done';
      },
      { handlers: answers, logLevel: 'debug', onLog: ({ data }) => logs.push(data) },
    );
    await client.tools.call('it', {}, { onProgress: (report) => progress.push(report.progress) });
    expect(logs).toEqual(['begin', 'in the step', 'before a', 'after a', 'after b and c', 'end']);
    expect(progress).toEqual([1, 2, 3, 4, 5, 6]);
  });

  it('are not duplicated by concurrent branches', async () => {
    const logs: unknown[] = [];
    const { client } = await opened(
      mode,
      async (context) => {
        const branch = async (name: string): Promise<void> => {
          context.log('info', `${name} begins`);
          await elicit(context, name);
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
        await elicit(context, 'a');
        await elicit(context, 'b');
        return `${one} ${await context.step('n', () => (made += 1))}`;
      },
      { handlers: answers },
    );
    expect(await run(client)).toBe('1 1');
    expect(await run(client)).toBe('2 2');
  });

  it('is shared by concurrent callers, and its result can be undefined or null', async () => {
    let made = 0;
    const given: unknown[] = [];
    const { client } = await opened(
      mode,
      async (context) => {
        const step = () => context.step('n', async () => ({ n: (made += 1), none: null }));
        const both = await Promise.all([step(), step()]);
        const nothing = await context.step('void', () => {});
        const isNull = await context.step('null', () => null);
        await elicit(context, 'a');
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

  it('stores its result before the handler changes it', async () => {
    const seen: unknown[] = [];
    const { client } = await opened(
      mode,
      async (context) => {
        const list = await context.step('list', () => ['a']);
        list.push('b');
        await elicit(context, 'a');
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
    ['undefined in an array', () => [undefined]],
  ])('that returns %s fails as invalid-outgoing-message', async (_name, result) => {
    const { client } = await opened(
      mode,
      async (context) =>
        context.step('s', result).then(
          () => 'stored',
          (error) => error.code,
        ),
      { handlers: answers },
    );
    expect(await run(client)).toBe('invalid-outgoing-message');
  });

  it('that fails is not stored and can run again', async () => {
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
        await elicit(context, 'a');
        await elicit(context, 'b');
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

  it('gets requests for the missing ones, retains the others, ignores unrequested ones, and repeats no log', async () => {
    const server = serverOf(async (context) => {
      await context.step('s', () => 1);
      context.log('info', 'before');
      const both = await Promise.all([elicit(context, 'b'), elicit(context, 'a')]);
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

  it('gets the requests again when answers arrive without state', async () => {
    const raw = openRaw(serverOf(async (context) => (await elicit(context, 'a')).action));
    raw.send(request(1, 'tools/call', envelope({ name: 'it', inputResponses: { a: accepted('A') } }, elicitation)));
    expect((await raw.next()).result).toMatchObject({ resultType: 'input_required', inputRequests: { a: {} } });
  });
});

describe('A client that answers an elicitation', () => {
  it.each<ProtocolVersion>(['2026-07-28', '2025-11-25'])('can send other requests meanwhile, %s', async (revision) => {
    const server = serverOf(async (context) => (await elicit(context, 'a')).action);
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
