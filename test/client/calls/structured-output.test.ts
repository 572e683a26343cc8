import { connect, createServer, type ProtocolVersion, tool } from 'tenon';
import { fromJsonSchema } from 'tenon/json-schema';
import { protocolVersions } from 'tenon/protocol';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';

const server = createServer({
  name: 's',
  version: '1',
  tools: {
    numbers: tool({ outputSchema: z.array(z.number()) }, () => [1, 2]),
    maybe: tool({ outputSchema: z.number().nullable() }, () => null),
    boxed: tool({ outputSchema: z.object({ value: z.number() }) }, () => ({ value: 3 })),
    either: tool({ outputSchema: z.union([z.object({ a: z.number() }), z.object({ b: z.string() })]) }, () => ({
      b: 'x',
    })),
  },
});

const structured: readonly ProtocolVersion[] = ['2025-06-18', '2025-11-25', '2026-07-28'];

describe.each(structured)('Structured output at %s', (revision) => {
  it.each([false, true])('arrives as the tool returned it, whatever its type (validated: %s)', async (validated) => {
    await using client = await connect(server, {
      protocolVersions: [revision],
      ...(validated && { jsonSchemaValidator: fromJsonSchema }),
    });
    const contentOf = async (name: 'numbers' | 'maybe' | 'boxed' | 'either'): Promise<unknown> =>
      (await client.tools.call(name)).structuredContent;
    expect(await contentOf('numbers')).toEqual([1, 2]);
    expect(await contentOf('maybe')).toBe(null);
    expect(await contentOf('boxed')).toEqual({ value: 3 });
    expect(await contentOf('either')).toEqual({ b: 'x' });
  });

  it('of a union of objects is sent unchanged, under a schema of type object', async () => {
    await using client = await connect(server, { protocolVersions: [revision] });
    const raw = await client.request('tools/call', { name: 'either' });
    expect(raw.structuredContent).toEqual({ b: 'x' });
    const listed = (await client.tools.list().all()).find(({ name }) => name === 'either');
    expect(listed?.outputSchema).toMatchObject({ anyOf: [{ type: 'object' }, { type: 'object' }] });
    expect(listed?.outputSchema?.type).toBe(revision === '2026-07-28' ? undefined : 'object');
  });
});

it.each(protocolVersions)('At %s a result without structuredContent stays without it', async (revision) => {
  const plain = createServer({ name: 's', version: '1', tools: { say: tool({}, () => 'x') } });
  await using client = await connect(plain, { protocolVersions: [revision] });
  const { _meta, ...result } = await client.tools.call('say');
  expect(result).toEqual({ content: [{ type: 'text', text: 'x' }] });
  expect(_meta).toBe(undefined);
});
