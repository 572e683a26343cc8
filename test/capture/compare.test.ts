/** Recorded calls are made again, and what differs is named by its place. */
import { connect, createServer, type ProtocolVersion, tool } from 'tenon';
import {
  callsInCapture,
  compareResults,
  createCapture,
  handlersFromCapture,
  type ReadCapture,
  readCapture,
  repeatCalls,
} from 'tenon/capture';
import { protocolVersions } from 'tenon/protocol';
import { expect, it } from 'vitest';
import { z } from 'zod';
import { isSince } from '../kit/version-order.ts';

interface Weather {
  readonly text: string;
  readonly at: string;
  readonly id: string;
}

const now: Weather = { text: 'sun', at: '2026-11-17T07:00:00Z', id: '123e4567-e89b-12d3-a456-426614174000' };

const serverOf = (weather: Weather) =>
  createServer(
    {
      name: 'weather',
      pageSize: 1,
      version: '1.0.0',
      tools: {
        weather: tool({ outputSchema: z.object({ text: z.string(), at: z.string(), id: z.string() }) }, () => weather),
        ask: tool({}, async (_given, ctx) => {
          const schema = z.object({ city: z.string() });
          const first = await ctx.elicit('from', { message: 'From where?', schema });
          const second = await ctx.elicit('to', { message: 'Where to?', schema });
          return [first, second].map((one) => (one.action === 'accept' ? one.content.city : one.action)).join(' to ');
        }),
      },
    },
    { secrets: ['a secret of at least thirty-two characters'] },
  );

/** A client lists the tools by pages, and calls both. */
async function recorded(version: ProtocolVersion, keepAnswers: boolean): Promise<ReadCapture> {
  const lines: string[] = [];
  const capture = createCapture({ write: (line) => lines.push(line), keepAnswers });
  const elicitForm = ({ message }: { message: string }) => ({
    action: 'accept' as const,
    content: { city: message === 'From where?' ? 'Bern' : 'Oslo' },
  });
  const options = { tap: capture.tap, protocolVersions: [version], handlers: { elicitForm } };
  const client = await connect(serverOf(now) as never, options);
  await client.tools.list().all();
  await client.tools.call('weather');
  if (isSince(version, '2025-06-18')) await client.tools.call('ask');
  await expect(client.tools.call('nothing')).rejects.toThrow(/nothing/);
  await client.close();
  capture.end();
  return readCapture(lines.join(''));
}

async function repeated(capture: ReadCapture, weather: Weather, options = {}): Promise<unknown[]> {
  const calls = callsInCapture(capture);
  const version = calls[0]?.protocolVersion as ProtocolVersion;
  const client = await connect(serverOf(weather), {
    protocolVersions: [version],
    handlers: handlersFromCapture(calls),
  });
  const made = await repeatCalls(calls, client as never, options);
  await client.close();
  return made.flatMap(({ differences }) => differences);
}

it.each(protocolVersions)('an unchanged server of %s gives the same, also where it asks [S31]', async (version) => {
  for (const keepAnswers of [true, false])
    expect(await repeated(await recorded(version, keepAnswers), now)).toEqual([]);
});

it('a call that asks twice is one call, with its answers, in both lifecycles', async () => {
  for (const version of ['2025-11-25', '2026-07-28'] as const) {
    const calls = callsInCapture(await recorded(version, true));
    const [asked, ...others] = calls.filter(({ params }) => params.name === 'ask');
    expect(others).toEqual([]);
    expect(asked?.answers?.map(({ params, result }) => [params.message, result?.content])).toEqual([
      ['From where?', { city: 'Bern' }],
      ['Where to?', { city: 'Oslo' }],
    ]);
    expect(asked?.result?.content).toEqual([{ type: 'text', text: 'Bern to Oslo' }]);
  }
});

it('a change of the server is a difference with its place, unless it may vary', async () => {
  const capture = await recorded('2025-11-25', true);
  const changed = { text: 'sun', at: '2027-01-01T08:30:00.5Z', id: '00000000-e89b-12d3-a456-426614174999' };
  expect(await repeated(capture, changed, { ignoreTimes: true, ignoreIds: true })).toEqual([]);
  expect(await repeated(capture, changed, { ignore: ['structuredContent', 'content[*].text'] })).toEqual([]);
  expect(await repeated(capture, changed, { ignoreIds: true, ignore: ['content'] })).toEqual([
    { path: 'structuredContent.at', recorded: now.at, now: changed.at },
  ]);
  expect(await repeated(capture, { ...now, text: 'rain' }, { ignore: ['content'] })).toEqual([
    { path: 'structuredContent.text', recorded: 'sun', now: 'rain' },
  ]);
});

it.each([
  ['a field that is new', { a: 1 }, { a: 1, b: 2 }, {}, [{ path: 'b', now: 2 }]],
  ['a field that is gone', { a: [{ b: null }] }, { a: [{}] }, {}, [{ path: 'a[0].b', recorded: null }]],
  ['an item that is new', [1], [1, 2], {}, [{ path: '[1]', now: 2 }]],
  [
    'a list of named items in another order',
    { tools: [{ name: 'a', v: 1 }, { name: 'b' }] },
    { tools: [{ name: 'b' }, { name: 'c' }, { name: 'a', v: 2 }] },
    {},
    [
      { path: 'tools[a].v', recorded: 1, now: 2 },
      { path: 'tools[c]', now: { name: 'c' } },
    ],
  ],
  ['another type', { a: [] }, { a: {} }, {}, [{ path: 'a', recorded: [], now: {} }]],
  ['a placeholder in a text', 'you sent ‹redacted:1›, ok', 'you sent abc, ok', {}, []],
  ['a placeholder beside another text', 'x ‹redacted:1› y', 'x abc z', {}, [expect.objectContaining({ path: '' })]],
  ['a time as a number', { at: 1_700_000_000_000 }, { at: 1_800_000_000_000 }, { ignoreTimes: true }, []],
  ['a small number', { at: 17 }, { at: 18 }, { ignoreTimes: true }, [{ path: 'at', recorded: 17, now: 18 }]],
  ['a field ignored everywhere', { a: { t: 1 }, b: { t: 2 } }, { a: { t: 3 }, b: {} }, { ignore: ['*.t'] }, []],
])('%s is compared', (_, before, after, options, expected) => {
  expect(compareResults(before, after, options)).toEqual(expected);
});

it('a wrong option is refused by name', () => {
  expect(() => compareResults(1, 1, { ignoreTime: true } as never)).toThrow(/Did you mean ignoreTimes\?/);
  expect(() => compareResults(1, 1, { ignore: [''] })).toThrow(/ignore must be a list of places/);
});
