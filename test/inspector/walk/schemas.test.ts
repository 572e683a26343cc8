/** A form with most keywords of JSON Schema, filled in by mouse and keyboard; the server gets exactly what was filled in. */
import { createServer, tool } from 'tenon';
import { fromJsonSchema } from 'tenon/json-schema';
import { describe, expect, it } from 'vitest';
import { executable } from '../../browser/chromium.ts';
import { oneBrowser } from './opened.ts';

const { inspect } = oneBrowser();

const inputSchema = {
  type: 'object',
  required: ['name', 'size', 'where', 'words', 'kind', 'version', 'nickname'],
  $defs: {
    city: { type: 'string', minLength: 1 },
    place: {
      type: 'object',
      required: ['city'],
      properties: { city: { $ref: '#/$defs/city' }, zip: { type: 'string', pattern: '^\\d{4}$' } },
    },
    tree: {
      type: 'object',
      required: ['label'],
      properties: { label: { type: 'string' }, parts: { type: 'array', items: { $ref: '#/$defs/tree' } } },
    },
  },
  properties: {
    name: { type: 'string', minLength: 2, maxLength: 20 },
    mail: { type: 'string', format: 'email' },
    day: { type: 'string', format: 'date' },
    moment: { type: 'string', format: 'date-time' },
    site: { type: 'string', format: 'uri' },
    code: { type: 'string', format: 'uuid' },
    host: { type: 'string', format: 'ipv4' },
    secret: { type: 'string', writeOnly: true },
    essay: { type: 'string', maxLength: 2000 },
    size: { type: 'integer', minimum: 1, maximum: 9 },
    ratio: { type: 'number', exclusiveMinimum: 0 },
    half: { type: 'number', multipleOf: 0.5 },
    isNew: { type: 'boolean' },
    colour: { enum: ['red', 'green', 7] },
    level: {
      oneOf: [
        { const: 1, title: 'low' },
        { const: 2, title: 'high' },
      ],
    },
    version: { const: 'v1' },
    limit: { type: 'integer', default: 10 },
    tags: { type: 'array', uniqueItems: true, items: { enum: ['new', 'used', 'rare'] } },
    words: { type: 'array', minItems: 1, items: { type: 'string' } },
    rows: { type: 'array', items: { type: 'array', items: { type: 'number' } } },
    where: { $ref: '#/$defs/place' },
    nickname: { type: ['string', 'null'] },
    kind: {
      oneOf: [
        { title: 'card', type: 'object', required: ['number'], properties: { number: { type: 'string' } } },
        { title: 'cash', type: 'object', required: ['coins'], properties: { coins: { type: 'integer' } } },
      ],
    },
    either: { anyOf: [{ type: 'string' }, { type: 'number' }] },
    tree: { $ref: '#/$defs/tree' },
    notes: { type: 'object', additionalProperties: { type: 'string' } },
    anything: {},
  },
} as const;

const texts: Readonly<Record<string, string>> = {
  name: 'Ada',
  mail: 'ada@example.com',
  day: '2024-02-29',
  moment: '2024-02-29T10:00:00Z',
  site: 'https://example.com/a?b#c',
  code: '123e4567-e89b-42d3-a456-426614174000',
  host: '127.0.0.1',
  secret: 'hush',
  essay: 'two\nlines',
  size: '3',
  ratio: '0.25',
  half: '1.5',
  'where.city': 'Oslo',
  'where.zip': '0150',
  anything: '{"a":[1,null]}',
};

const expected = {
  ...texts,
  size: 3,
  ratio: 0.25,
  half: 1.5,
  isNew: false,
  colour: 7,
  level: 2,
  version: 'v1',
  limit: 10,
  tags: ['used', 'rare'],
  words: ['one', 'two'],
  rows: [[4]],
  where: { city: 'Oslo', zip: '0150' },
  nickname: null,
  kind: { coins: 5 },
  either: 6,
  tree: { label: 'root', parts: [{ label: 'leaf' }] },
  notes: { colour: 'blue' },
  anything: { a: [1, null] },
};
const { 'where.city': _city, 'where.zip': _zip, ...wanted } = expected as Record<string, unknown>;

describe.skipIf(executable === undefined)('a form of the page', () => {
  it('sends what was filled in for every kind of field, and marks what is wrong before [S32]', async () => {
    const received: unknown[] = [];
    const order = tool({ inputSchema: fromJsonSchema<Record<string, unknown>>(inputSchema) }, (given) => {
      received.push(given);
      return 'received';
    });
    const server = createServer({ name: 'forms', version: '1', tools: { order } });
    const { page, open, run, outcome, complaints } = await inspect({
      servers: { forms: server },
      start: { server: 'forms' },
    });
    await open('tools', 'order');
    const field = (path: string) => page.locator(`[id="tool%20order.${path}"]`);
    const group = (name: string) =>
      page
        .locator('fieldset')
        .filter({ has: page.locator('> legend .field-name', { hasText: new RegExp(`^${name}$`) }) });
    const press = (name: string, button: string) => group(name).getByRole('button', { name: button }).last().click();

    await run();
    await page.getByText('is required').first().waitFor();
    await field('mail').fill('no address');
    await page.locator('[id="tool%20order.mail-problem"]').waitFor();
    for (const [path, text] of Object.entries(texts)) await field(path).fill(text);

    await field('isNew').getByRole('button', { name: 'false' }).click();
    await field('colour').selectOption({ label: '7' });
    await field('level').selectOption({ label: 'high' });
    await group('tags').getByLabel('used').check();
    await group('tags').getByLabel('rare').check();
    await press('words', 'Add item');
    await field('words.0').fill('one');
    await press('words', 'Add item');
    await field('words.1').fill('two');
    await press('rows', 'Add item');
    await group('rows').getByRole('button', { name: 'Add item' }).first().click();
    await field('rows.0.0').fill('4');
    await page.getByLabel('null').first().check();
    await page.getByLabel('Kind of kind').selectOption({ label: 'cash' });
    await field('kind.1.coins').fill('5');
    await page.getByLabel('Kind of either').selectOption({ index: 2 });
    await field('either.1').fill('6');
    await press('tree', 'Fill in');
    await field('tree.label').fill('root');
    await group('parts').getByRole('button', { name: 'Add item' }).first().click();
    await field('tree.parts.0.label').fill('leaf');
    await press('notes', 'Fill in');
    await group('notes').getByLabel('Name of another property').fill('colour');
    await group('notes').getByRole('button', { name: 'Add' }).click();
    await field('notes.colour').fill('blue');

    await page.getByRole('button', { name: 'JSON', exact: true }).click();
    expect(JSON.parse(await page.getByLabel('Arguments as JSON').inputValue())).toEqual(wanted);
    await page.getByRole('button', { name: 'Form', exact: true }).click();
    await run();
    await outcome.getByText('received').waitFor();
    expect(received).toEqual([wanted]);
    expect(Object.keys(inputSchema.properties).length).toBeGreaterThanOrEqual(25);
    expect(complaints).toEqual([]);
  });
});
