/** Lists and their items are written for a person to read: signatures, names, and schemas as tables. */
import { createServer, prompt, resource, serveHttp, tool } from 'tenon';
import { fromJsonSchema } from 'tenon/json-schema';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { typed } from '../terminal.ts';

const inputSchema = fromJsonSchema<Record<string, unknown>>({
  type: 'object',
  properties: {
    city: { type: 'string', description: 'A city by its English name, such as Oslo or Rome, and never by a code' },
    days: { type: 'integer', minimum: 1, maximum: 7, default: 3 },
    unit: { enum: ['c', 'f'] },
    sky: { type: ['string', 'null'], enum: ['clear', 'a few clouds', 'overcast', 'rain', 'snow', null] },
    where: { type: 'object', properties: { lat: { type: 'number' }, lon: { type: 'number' } }, required: ['lat'] },
    stops: { type: 'array', items: { type: 'object', properties: { id: { type: 'string', format: 'uuid' } } } },
  },
  required: ['city', 'unit'],
});

const server = createServer({
  name: 'listed',
  version: '1',
  tools: {
    forecast: tool(
      {
        title: 'Forecast',
        description: 'The weather.\n\nOf the next days.',
        annotations: { readOnlyHint: true },
        inputSchema,
        outputSchema: fromJsonSchema<{ low: number }>({ type: 'object', properties: { low: { type: 'number' } } }),
      },
      () => ({ low: 1 }),
    ),
    now: tool({}, () => 'x'),
  },
  resources: {
    'notes://one': resource({ name: 'first', title: 'The first note', description: 'A note' }, () => 'x'),
    'notes://two': resource({ name: 'second', mimeType: 'text/plain' }, () => 'x'),
  },
  prompts: { hello: prompt({ description: 'Greets' }, () => 'Hello') },
});

let url = '';
let close: () => Promise<unknown>;
beforeAll(async () => {
  const service = await serveHttp(server, { port: 0 });
  url = String(service.url);
  close = () => service.close();
});
afterAll(() => close());

it('tools shows the arguments of each tool as a signature, above its description [S31]', async () => {
  const { out } = await typed(`tenon tools ${url}`, { columns: 200 });
  expect(out).toBe(
    'forecast(city: string, days?: integer, unit: c|f, sky?: choice|null, where?: object, stops?: object[])\n' +
      '    The weather. Of the next days.\n' +
      'now()\n',
  );
  const { out: narrow } = await typed(`tenon tools ${url}`, { columns: 50 });
  for (const line of narrow.split('\n')) expect(line.length).toBeLessThanOrEqual(50);
});

it('tools NAME shows its schemas as tables, with what is inside of objects and lists', async () => {
  const { out } = await typed(`tenon tools ${url} forecast`);
  expect(out).toContain('\n\nForecast\n\nThe weather.\n\nOf the next days.\n\nchanges nothing\n\nArguments\n');
  expect(out).toContain(
    '  city         string       A city by its English name, such as Oslo or Rome,\n' +
      '                            and never by a code\n' +
      '  days?        integer      1 to 7, default 3\n' +
      '  unit         c|f\n' +
      '  sky?         choice|null  one of clear, a few clouds, overcast, rain, snow\n' +
      '  where?       object\n' +
      '  where.lat    number\n' +
      '  where.lon?   number\n' +
      '  stops?       object[]\n' +
      '  stops[].id?  string       uuid\n',
  );
  expect(out).toContain('\n\nResult\n  low?  number\n');
  const { out: json } = await typed(`tenon tools ${url} forecast --json`);
  expect(JSON.parse(json).result).toMatchObject({ name: 'forecast', inputSchema: { required: ['city', 'unit'] } });
});

it('resources shows names beside URIs, and one with all that is known of it', async () => {
  expect((await typed(`tenon resources ${url}`)).out).toBe(
    'notes://one  The first note  A note\nnotes://two  second\n',
  );
  expect((await typed(`tenon resources ${url} notes://two`)).out).toMatch(
    /^notes:\/\/two\n\nname: second, type: text\/plain\n\n/,
  );
  expect((await typed(`tenon prompts ${url}`)).out).toBe('hello()\n    Greets\n');
});

it('a schema that refers to itself, or has hundreds of fields, is cut', async () => {
  const node = { type: 'object', properties: { next: { $ref: '#' } } };
  const wide = Object.fromEntries(Array.from({ length: 900 }, (_, n) => [`f${n}`, { type: 'string' }]));
  const odd = createServer({
    name: 'odd',
    version: '1',
    tools: {
      self: tool({ inputSchema: fromJsonSchema<object>(node) }, () => 'x'),
      wide: tool({ inputSchema: fromJsonSchema<object>({ type: 'object', properties: wide }) }, () => 'x'),
    },
  });
  const service = await serveHttp(odd, { port: 0 });
  const { out } = await typed(`tenon tools ${service.url}`);
  const self = await typed(`tenon tools ${service.url} self`);
  const shown = await typed(`tenon tools ${service.url} wide`);
  await service.close();
  expect(out).toMatch(/^self\(next\?: object\)\nwide\(f0\?: string,[^]*f19\?:\s+string,\s+…\)\n$/);
  expect(self.out).toMatch(/Arguments\n {2}next\? +object\n {2}next\.next\? /);
  expect(shown.out).toContain('The rest is in --json.');
  expect(shown.out.split('\n').length).toBeLessThan(300);
});
