/** Names, URIs and template variables without end: refused before they are compared with anything, and after the limits. */
import { createServer, prompt, resourceTemplate, tool } from 'tenon';
import { createPolicy, guard } from 'tenon/guard';
import { protocolVersions } from 'tenon/protocol';
import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import { templateAt } from '../../../src/server/registry/registry.ts';
import { type Json, openAt, refused } from '../../kit/transport/raw-connection.ts';

const long = `notes://${'é'.repeat(100_000)}`;
const most = 8192;
const tooLong = (place: string) => `params.${place} has more than ${most} characters`;

let expanded = 0;
const definition = {
  name: 's',
  version: '1',
  tools: { work: tool({}, () => 'done') },
  prompts: { greet: prompt({ argsSchema: z.object({ name: z.string() }), complete: { name: () => [] } }, () => 'hi') },
  resourceTemplates: Object.fromEntries(
    Array.from({ length: 20 }, (_, n) => [
      `notes://{a}/${n}/{b}`,
      resourceTemplate({ complete: { a: () => Array.from({ length: 1000 }, () => String(expanded++)) } }, () => 'x'),
    ]),
  ),
};

const requests: readonly (readonly [method: string, place: string, params: Json])[] = [
  ['tools/call', 'name', { name: long }],
  ['prompts/get', 'name', { name: long }],
  ['resources/read', 'uri', { uri: long }],
  ['completion/complete', 'ref', { ref: { type: 'ref/prompt', name: long }, argument: { name: 'x', value: '' } }],
  ['completion/complete', 'ref', { ref: { type: 'ref/resource', uri: long }, argument: { name: 'x', value: '' } }],
];

describe.each(protocolVersions)('a server at %s', (revision) => {
  it.each(requests)('refuses %s with a long %s before it is looked up [S24]', async (method, place, params) => {
    const { ask, send, settled } = await openAt(createServer(definition), revision);
    send(ask(1, method, params));
    expect(await settled()).toEqual([refused(-32602, 1, tooLong(place))]);
  });

  it('answers for the longest URI as for any other', async () => {
    const { ask, send, settled } = await openAt(createServer(definition), revision);
    send(ask(1, 'resources/read', { uri: `notes://${'a'.repeat(most - 12)}/0/b` }));
    expect(await settled()).toMatchObject([{ result: { contents: [{ text: 'x' }] } }]);
  });

  it('refuses long variables of a template before it completes them [S24]', async () => {
    const { ask, send, settled } = await openAt(createServer(definition), revision);
    const ref = { type: 'ref/resource', uri: 'notes://{a}/0/{b}' };
    const before = expanded;
    send(ask(1, 'completion/complete', { ref, argument: { name: 'a', value: long } }));
    const chosen = { arguments: Object.fromEntries(Array.from({ length: 100 }, (_, n) => [n, 'x'.repeat(100)])) };
    send(ask(2, 'completion/complete', { ref, argument: { name: 'a', value: '' }, context: chosen }));
    const text = `The variables of the template have more than ${most} characters`;
    expect(await settled()).toEqual([refused(-32602, 1, text), refused(-32602, 2, text)]);
    expect(expanded).toBe(before);
  });

  it('checks limits before it compares a URI with templates [S24]', async () => {
    const policy = createPolicy('version: 1\nrules:\n  - { id: all, allow: [list, read], to: any, on: any }\n');
    let compared = 0;
    const guarded = guard({ policy, limits: { perPrincipal: '2/h' } });
    const server = createServer(definition, {
      guard: {
        ...guarded,
        sees: (...request) => {
          compared++;
          return guarded.sees(...request);
        },
      },
    });
    const { ask, send, settled } = await openAt(server, revision);
    const read = async (id: number): Promise<unknown> => {
      send(ask(id, 'resources/read', { uri: 'notes://a/0/b' }));
      return (await settled()).at(-1);
    };
    const outcomes = [await read(1), await read(2)];
    const before = compared;
    outcomes.push(await read(3));
    expect(outcomes).toContainEqual(expect.objectContaining({ result: expect.anything() }));
    expect(outcomes.at(-1)).toMatchObject({ error: { data: { limit: 'perPrincipal' } } });
    expect(compared).toBe(before);
  });
});

it('is compared with no template by what asks before the request is refused, as a guard does [S24]', () => {
  let compared = 0;
  const match = (): Record<string, string> => {
    compared++;
    return {};
  };
  const reads = { templates: new Map([['notes://{a}', { match }]]) };
  const found = [most, most + 1].map((length) => templateAt({ reads } as never, 'x'.repeat(length)));
  expect([found.map((one) => one !== undefined), compared]).toEqual([[true, false], 1]);
});
