/** Forms of several hundred schemas: planned, filled in, validated by the form and by ajv, written as texts and read again. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Ajv2020 } from 'ajv/dist/2020.js';
import * as fc from 'fast-check';
import { connect } from 'tenon';
import { describe, expect, it, onTestFinished } from 'vitest';
import {
  checkValue,
  type FormField,
  initialValue,
  planForm,
  readText,
  shownText,
} from '../../../src/json-schema/form-plan.ts';
import { scaled } from '../../kit/long.ts';
import { published } from '../../kit/peers/programs.ts';
import { anySchema } from './any-schema.ts';
import { filled } from './filled.ts';
import { definitions, keywordCases, keywords } from './keyword-schemas.ts';

const ajv = new Ajv2020({ strict: false, logger: false, addUsedSchema: false, ownProperties: true });

const accepts = (schema: object, value: unknown): boolean => ajv.compile(schema)(value) as boolean;

/** As the page and the terminal write and read a value. */
function expectRoundTrip(field: FormField, value: unknown): void {
  const json = JSON.parse(JSON.stringify(value)) as unknown;
  // `null` is chosen beside a text: the text "null" is a text.
  if (json === null && field.kind === 'text') return;
  expect([field.kind, json, readText(field, shownText(field, json))]).toEqual([field.kind, json, { value: json }]);
  if (field.kind === 'object') {
    const fields = json as Readonly<Record<string, unknown>>;
    for (const inner of field.fields())
      if (Object.hasOwn(fields, inner.name)) expectRoundTrip(inner, fields[inner.name]);
  }
  if (field.kind === 'list') for (const item of json as readonly unknown[]) expectRoundTrip(field.item, item);
}

/** Fills in the form with little and with everything; every value fits the form and the schema. */
function expectFillable(schema: object): void {
  const plan = planForm(schema);
  for (const everything of [false, true]) {
    const value = filled(plan, everything);
    const result = { schema, value, problems: checkValue(plan, value), isAccepted: accepts(schema, value) };
    expect(result).toEqual({ schema, value, problems: [], isAccepted: true });
    expectRoundTrip(plan, value);
  }
  const first = initialValue(plan);
  const pathless = checkValue(plan, first ?? {}).filter(({ path }) => path.length === 0);
  expect({ schema, pathless }).toEqual({ schema, pathless: [] });
}

describe('the form of a keyword', () => {
  it.each(keywordCases)('$keyword [S32]', ({ schema, kind, fits, differs = [], byServer = false }) => {
    const whole = { type: 'object', properties: { value: schema }, required: ['value'], $defs: definitions };
    const plan = planForm(whole);
    const [field] = plan.kind === 'object' ? plan.fields() : [];
    expect(field?.kind).toBe(kind);
    for (const value of fits) {
      expect([value, accepts(whole, { value }), checkValue(plan, { value })]).toEqual([value, true, []]);
      expectRoundTrip(plan, { value });
    }
    for (const value of differs) {
      const isFound = checkValue(plan, { value }).length > 0 || (byServer && !accepts(whole, { value }));
      expect([value, isFound]).toEqual([value, true]);
    }
  });

  it('exists for every keyword', () => {
    const written = JSON.stringify([definitions, keywordCases.map(({ schema }) => schema)]);
    expect(keywords.filter((keyword) => !written.includes(`"${keyword}":`))).toEqual([]);
  });
});

const schemaCount = scaled(250, 5000);

it(`${schemaCount} schemas of any shape can be filled in [S32]`, () => {
  expect(keywordCases.length + schemaCount).toBeGreaterThanOrEqual(300);
  fc.assert(fc.property(anySchema, expectFillable), { numRuns: schemaCount });
});

it('the schemas of servers from npm can be filled in, all of them in forms [S32]', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'tenon-forms-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const servers = [
    published('server-everything', 'stdio'),
    published('server-filesystem', folder),
    { ...published('server-memory'), env: { MEMORY_FILE_PATH: join(folder, 'memory.jsonl') } },
  ];
  const found = servers.map(async (server) => {
    const client = await connect({ ...server, stderr: 'ignore', exitTimeoutMs: 500 });
    const tools = await client.tools.list().all();
    await client.close();
    return tools;
  });
  const tools = (await Promise.all(found)).flat();
  expect(tools.length).toBeGreaterThan(25);
  for (const { inputSchema } of tools) {
    const { $schema: _, ...schema } = inputSchema as Readonly<Record<string, unknown>>;
    expectFillable(schema);
    expect({ schema, hasRawJson: kindsIn(planForm(schema)).includes('json') }).toEqual({ schema, hasRawJson: false });
  }
});

function kindsIn(field: FormField): readonly string[] {
  if (field.kind === 'object') return ['object', ...field.fields().flatMap(kindsIn)];
  return field.kind === 'list' ? ['list', ...kindsIn(field.item)] : [field.kind];
}
