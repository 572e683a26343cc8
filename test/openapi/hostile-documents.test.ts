/** Documents that mean harm: each takes a short time, and leaves out the operations that it makes unusable. */
import { readFileSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { loadOpenApi, type OmittedOperation, openapiServer } from 'tenon/openapi';
import { expect, it, onTestFinished } from 'vitest';
import { nextPage } from '../../src/openapi/calls/next-page.ts';
import { resultOf } from '../../src/openapi/calls/result.ts';

const get = { get: { operationId: 'fine' } };

const documentOf = (paths: object, components: object = {}, more: object = {}) =>
  ({
    openapi: '3.0.3',
    info: { title: 'api', version: '1' },
    servers: [{ url: 'https://api.example.com' }],
    paths: { '/fine': get, ...paths },
    components,
    ...more,
  }) as never;

function omittedOf(document: never): readonly string[] {
  const omitted: OmittedOperation[] = [];
  openapiServer(document, { onOmitted: (one) => omitted.push(one) });
  return omitted.map(({ reason }) => reason);
}

const posting = (type: string, schema: object) => ({ post: { requestBody: { content: { [type]: { schema } } } } });
const ref = (name: string) => ({ $ref: `#/components/schemas/${name}` });

it('a list of itself among the files of a form ends no call stack', () => {
  const paths = { '/files': posting('multipart/form-data', { type: 'object', properties: { files: ref('Files') } }) };
  expect(omittedOf(documentOf(paths, { schemas: { Files: { type: 'array', items: ref('Files') } } }))).toEqual([]);
});

it('a chain of thousands of references is followed without recursion', () => {
  const schemas: Record<string, object> = { S8000: { type: 'string' } };
  for (let n = 0; n < 8000; n++) schemas[`S${n}`] = { type: 'object', properties: { next: ref(`S${n + 1}`) } };
  const paths = { '/chain': posting('application/json', ref('S0')) };
  expect(() => omittedOf(documentOf(paths, { schemas }))).not.toThrow();
});

// What follows took minutes before: these tests end in time, or are ended.

it('names of a run of underscores take no quadratic time', () => {
  const long = `a${'_'.repeat(300_000)}a`;
  const paths = { [`/${long}`]: { get: {} }, '/id': { get: { operationId: long } } };
  expect(() => omittedOf(documentOf(paths))).not.toThrow();
});

it('more parameters or ways to authorize than an operation needs leave it out', () => {
  const parameters = Array.from({ length: 1001 }, () => ({ name: 'q', in: 'query' }));
  const security = Array.from({ length: 101 }, () => ({}));
  const reasons = omittedOf(documentOf({ '/p': { parameters, get: {} }, '/s': { get: { security } } }));
  expect(reasons).toEqual(['it has more than 1000 parameters', 'it has more than 100 ways to authorize']);
});

it.each([
  ['50,000 keys', Array.from({ length: 50_000 }, (_, n) => `k${n}: 1\n`).join(''), /"openapi"/],
  [
    '20,000 aliases',
    `${Array.from({ length: 100 }, (_, n) => `a${n}: &x${n} 1\n`).join('')}l:\n${Array.from({ length: 20_000 }, (_, n) => `- *x${n % 100}\n`).join('')}`,
    /too many aliases/,
  ],
  ['a million items', '- a\n'.repeat(1_000_000), /too long for YAML/],
])('YAML of %s is read or refused in time', async (_what, text, message) => {
  const folder = await mkdtemp(join(tmpdir(), 'tenon-openapi-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  const file = join(folder, 'api.yaml');
  await writeFile(file, text);
  expect(readFileSync(file, 'utf8')).toHaveLength(text.length);
  await expect(loadOpenApi(file)).rejects.toThrow(message);
});

const rules = { maxResultChars: 1_000_000, parameters: [], url: new URL('https://api.example.com/'), secrets: [] };

it.each([150, 5000, 100_000])(
  'an answer of %i levels is a text, and no error of a call that has run',
  async (levels) => {
    const text = `{"a":${'['.repeat(levels)}${']'.repeat(levels)}}`;
    const response = new Response(text, { headers: { 'content-type': 'application/json' } });
    const result = ((await resultOf(response, rules)) as unknown as { result: Record<string, unknown> }).result;
    expect(result).toMatchObject({ content: [{ type: 'text', text }] });
    expect(result).not.toHaveProperty('structuredContent');
  },
);

it('a header Link of thousands of relations takes no cubic time', () => {
  const link = `<https://a.test/b?x=1>${';rel='.repeat(2000)}${' next'.repeat(4000)}"x`;
  expect(() => nextPage(link, { url: new URL('https://a.test/b'), parameters: [] })).not.toThrow();
});
