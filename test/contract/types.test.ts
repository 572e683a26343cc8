/** The module that `tenon types` writes compiles, and types a client by the schemas of a server. */
import { execFileSync } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { connect, createServer, prompt, tool } from 'tenon';
import { generateTypes, takeSnapshot } from 'tenon/contract';
import { fromJsonSchema } from 'tenon/json-schema';
import ts59 from 'ts59';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { root } from '../architecture/source-tree.ts';

const place = { type: 'object', properties: { lat: { type: 'number' }, lon: { type: 'number' } }, required: ['lat'] };
const tree = { type: 'object', properties: { name: { type: 'string' }, inner: { $ref: '#/$defs/tree' } } };
const maps = { type: 'object', additionalProperties: { $ref: '#/$defs/maps' } };

/** Every kind of schema, and names and texts that could be read as code. */
const input = {
  type: 'object',
  properties: {
    city: { type: 'string', description: 'A city */ export const broken = 1; /*' },
    unit: { enum: ['c', 'f', null] },
    days: { type: 'integer' },
    from: { $ref: '#/$defs/place' },
    tree: { $ref: '#/$defs/tree' },
    maps: { $ref: '#/$defs/maps' },
    pair: { type: 'array', prefixItems: [{ type: 'string' }, { type: 'number' }], items: false, minItems: 1 },
    either: {
      anyOf: [{ type: 'string' }, { type: 'object', properties: { kind: { const: 'a' } }, required: ['kind'] }],
    },
    both: { allOf: [{ $ref: '#/$defs/place' }, { type: 'object', properties: { name: { type: 'string' } } }] },
    where: {
      type: 'object',
      properties: { floor: { type: 'number' } },
      required: ['floor'],
      anyOf: [
        { type: 'object', properties: { street: { type: 'string' } }, required: ['street'] },
        { type: 'object', properties: { box: { type: 'number' } }, required: ['box'] },
      ],
    },
    'a "name"\n': { type: ['string', 'null'] },
    anything: {},
  },
  required: ['city'],
  $defs: { place, tree, maps },
};

const server = createServer({
  name: 'weather */',
  version: '1.0.0',
  tools: {
    'get-forecast': tool(
      {
        description: 'The weather\u2028of a city */',
        inputSchema: fromJsonSchema(input),
        outputSchema: fromJsonSchema({
          type: 'object',
          properties: { celsius: { type: 'number' }, at: { $ref: '#/$defs/place' } },
          required: ['celsius'],
          $defs: { place },
        }),
      },
      () => ({ celsius: 20 }),
    ),
    get_forecast: tool({}, () => 'the same name as a type'),
  },
  prompts: {
    review: prompt(
      {
        argsSchema: fromJsonSchema<Record<string, string>>({
          type: 'object',
          properties: { language: { type: 'string' }, style: { type: 'string' } },
          required: ['language'],
        }),
      },
      () => 'Review',
    ),
  },
});

const program = `import { connect } from 'tenon';
import { contract, type GetForecastInput, type Place } from './weather.ts';

const client = await connect('https://example.com/mcp', { contract });
const from: Place = { lat: 1 };
const given: GetForecastInput = { city: 'Rome', unit: null, from, tree: { inner: { name: 'x' } }, maps: { a: { b: {} } } };
const { structuredContent } = await client.tools.call('get-forecast', { ...given, pair: ['a', 1], either: { kind: 'a' } });
export const celsius: number | undefined = structuredContent?.celsius;
export const at: Place | undefined = structuredContent?.at;
await client.tools.call('get_forecast');
await client.prompts.get('review', { language: 'ts' });
// @ts-expect-error: the city is missing
await client.tools.call('get-forecast', {});
// @ts-expect-error: the city is a text
await client.tools.call('get-forecast', { city: 5 });
// @ts-expect-error: there is no such unit
await client.tools.call('get-forecast', { city: 'Rome', unit: 'k' });
await client.tools.call('get-forecast', { city: 'Rome', where: { floor: 1, street: 'Via Appia' } });
// @ts-expect-error: the floor is needed with each of the alternatives
await client.tools.call('get-forecast', { city: 'Rome', where: { street: 'Via Appia' } });
// @ts-expect-error: there is no such tool
await client.tools.call('nothing');
// @ts-expect-error: the language is missing
await client.prompts.get('review', {});
`;

/** `npm run test:system` has built the package; its declarations compile in a fraction of the time. */
const isBuilt = existsSync(join(root, 'dist/contract.d.ts'));
const built = { tenon: [join(root, 'dist/node.d.ts')], 'tenon/*': [join(root, 'dist/*.d.ts')] };

let folder = '';
let module = '';
beforeAll(async () => {
  await using client = await connect(server);
  module = generateTypes(await takeSnapshot(client));
  folder = mkdtempSync(join(tmpdir(), 'tenon-types-'));
  const compilerOptions = { typeRoots: [join(root, 'node_modules/@types')], ...(isBuilt && { paths: built }) };
  const project = { extends: join(root, 'tsconfig.node.json'), include: ['*.ts'], exclude: [], compilerOptions };
  writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify(project));
  writeFileSync(join(folder, 'weather.ts'), module);
  writeFileSync(join(folder, 'program.ts'), program);
});
afterAll(() => rmSync(folder, { recursive: true }));

/** Only of the two files: what they import is checked elsewhere. */
function problemsOfOlderCompiler(): string[] {
  const { config } = ts59.readConfigFile(join(folder, 'tsconfig.json'), ts59.sys.readFile);
  const { options, fileNames } = ts59.parseJsonConfigFileContent(config, ts59.sys, folder);
  const compiled = ts59.createProgram(fileNames, options);
  return fileNames.flatMap((file) =>
    ts59
      .getPreEmitDiagnostics(compiled, compiled.getSourceFile(file))
      .map(({ messageText }) => ts59.flattenDiagnosticMessageText(messageText, ' ')),
  );
}

describe('The module that tenon types writes', () => {
  it('compiles with TypeScript 5.9, and types the calls of a client [S31]', () => {
    expect(problemsOfOlderCompiler()).toEqual([]);
  });

  it('compiles with TypeScript 7', () => {
    const tsc = join(root, 'node_modules/ts7/bin/tsc');
    expect(execFileSync(process.execPath, [tsc, '-p', folder], { encoding: 'utf8' })).toBe('');
  });

  it('names a definition that tools share once, and refers to it', () => {
    expect(module.match(/^export type Place = /gm)).toHaveLength(1);
    expect(module).toContain('export type Maps = { [name: string]: Maps };');
    expect(module).toContain('export type GetForecastInput2 = ');
  });
});
