import { toStandardJsonSchema } from '@valibot/to-json-schema';
import { Ajv } from 'ajv';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { type } from 'arktype';
import { connect, createServer, tool } from 'tenon';
import { fromJsonSchema } from 'tenon/json-schema';
import { protocolVersions } from 'tenon/protocol';
import * as v from 'valibot';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';

const draft07 = 'http://json-schema.org/draft-07/schema#';
const [number, text] = [{ type: 'number' }, { type: 'string' }];
const pair = (rules: object) => ({ type: 'object', properties: { pair: { type: 'array', ...rules } } });
const answer = (): string => 'fine';

const server = createServer({
  name: 'schemas',
  version: '1',
  tools: {
    undeclared: tool({ inputSchema: fromJsonSchema(pair({ prefixItems: [number, text], items: false })) }, answer),
    declared: tool(
      { inputSchema: fromJsonSchema({ $schema: draft07, ...pair({ items: [number, text], additionalItems: false }) }) },
      answer,
    ),
    zod: tool(
      { inputSchema: z.object({ at: z.iso.date(), n: z.number().min(1) }), outputSchema: z.array(z.string()) },
      () => [],
    ),
    valibot: tool({ inputSchema: toStandardJsonSchema(v.object({ n: v.pipe(v.number(), v.minValue(1)) })) }, answer),
    arktype: tool({ inputSchema: type({ n: 'number > 0', 'mood?': "'good' | 'bad'" }) }, answer),
    none: tool({}, answer),
  },
});

describe.each(protocolVersions)('schemas at %s', (revision) => {
  it.each(['undeclared', 'declared'] as const)(
    'follow their dialect, which is 2020-12 by default: %s [e-jsonschema-01, e-jsonschema-03, e-jsonschema-06, s-base-17, s-base-20]',
    async (name) => {
      const client = await connect(server, { protocolVersions: [revision] });
      const isRefused = async (given: unknown): Promise<boolean> =>
        (await client.request('tools/call', { name, arguments: { pair: given } })).isError === true;
      expect(await isRefused([1, 'a'])).toBe(false);
      expect(await isRefused(['a', 1])).toBe(true);
      expect(await isRefused([1, 'a', 2])).toBe(true);
    },
  );

  it('are published in a form valid in their dialect, whichever library made them [e-jsonschema-08, s-base-22]', async () => {
    const client = await connect(server, { protocolVersions: [revision] });
    const published = (await client.tools.list().all()).flatMap(({ inputSchema, outputSchema }) =>
      outputSchema === undefined ? [inputSchema] : [inputSchema, outputSchema],
    );
    expect(published.length).toBe(protocolVersions.indexOf(revision) >= 2 ? 7 : 6);
    for (const schema of published) {
      const ajv = schema.$schema === draft07 ? new Ajv() : new Ajv2020();
      expect(ajv.validateSchema(schema)).toBe(true);
    }
  });
});
