/** Forms in the terminal: arguments of tools, and answers to requests of servers. */
import { createServer, serveHttp, tool } from 'tenon';
import { fromJsonSchema } from 'tenon/json-schema';
import type { RequestedSchema } from 'tenon/protocol';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { askForm } from '../../src/cli/terminal/ask-form.ts';
import { planForm } from '../../src/json-schema/form-plan.ts';
import { type Answer, cancel, type ScriptedPrompts, scriptedPrompts } from './scripted-prompts.ts';
import { typed } from './terminal.ts';

const shape = {
  type: 'object',
  properties: {
    name: { type: 'string', title: 'Name', minLength: 2 },
    size: { type: 'integer', minimum: 1 },
    kind: { enum: ['circle', 'square'] },
    tags: { type: 'array', items: { enum: ['a', 'b', 'c'] }, maxItems: 2 },
    note: { type: 'string' },
  },
  required: ['name', 'size', 'kind'],
};

const server = createServer(
  {
    name: 'forms',
    version: '1',
    tools: {
      draw: tool({ inputSchema: fromJsonSchema(shape) }, (args) => JSON.stringify(args)),
      order: tool({}, async (_, ctx) => {
        const requestedSchema = {
          type: 'object',
          properties: { street: { type: 'string' }, gift: { type: 'boolean', default: false } },
          required: ['street'],
        } satisfies RequestedSchema;
        return JSON.stringify(await ctx.elicit('where', { message: 'Where to?', requestedSchema }));
      }),
      pay: tool({}, async (_, ctx) =>
        JSON.stringify(await ctx.elicit('pay', { message: 'Pay here', url: 'https://pay.example/42' })),
      ),
      title: tool({}, async (_, ctx) => {
        const messages = [{ role: 'user', content: { type: 'text', text: 'A title?' } }] as const;
        return JSON.stringify((await ctx.sample('title', { messages: [...messages], maxTokens: 50 })).content);
      }),
    },
  },
  { secrets: ['a secret of this test, long enough'], onError: () => undefined },
);

let url = '';
let close: () => Promise<unknown>;
beforeAll(async () => {
  const service = await serveHttp(server, { port: 0 });
  url = String(service.url);
  close = () => service.close();
});
afterAll(() => close());

/** On a terminal where the questions get these answers. */
const onTerminal = (line: string, prompts: ScriptedPrompts) =>
  typed(`tenon ${line.replace('URL', url)}`, { canAsk: true, prompts });

describe('a form for the arguments of a tool', () => {
  it('asks for required fields, offers optional ones, and sends typed values [S31]', async () => {
    const prompts = scriptedPrompts('A', 'Ada', 'x', '3', 'square', ['tags'], ['a', 'b', 'c'], ['a', 'b']);
    const { out, code } = await onTerminal('call URL draw --form', prompts);
    expect(JSON.parse(out)).toEqual({ name: 'Ada', size: 3, kind: 'square', tags: ['a', 'b'] });
    expect(code).toBe(0);
    expect(prompts.notes).toEqual([
      'expected at least 2 characters',
      'expected a whole number',
      expect.stringContaining('expected at most 2'),
    ]);
  });

  it('does not ask for what was typed, unless it is invalid', async () => {
    const prompts = scriptedPrompts('5', []);
    const { out } = await onTerminal('call URL draw name=Ada size=0 kind=circle --form', prompts);
    expect(JSON.parse(out)).toEqual({ name: 'Ada', size: 5, kind: 'circle' });
    expect(prompts.asked).toEqual(['size', 'Optional fields: choose those to fill in']);
  });

  it('asks for missing required arguments without --form, and for nothing else', async () => {
    const prompts = scriptedPrompts('circle');
    const { out } = await onTerminal('call URL draw name=Ada size=2', prompts);
    expect(JSON.parse(out)).toEqual({ name: 'Ada', size: 2, kind: 'circle' });
    expect(prompts.asked).toEqual(['kind']);
  });

  it('asks a program nothing: with --json the server reports what is missing', async () => {
    const { out } = await onTerminal('call URL draw name=Ada --json', scriptedPrompts());
    expect(JSON.parse(out)).toMatchObject({ ok: false });
    const { code, err } = await typed(`tenon call ${url} draw --form`);
    expect(code).toBe(2);
    expect(err).toContain('--form needs a terminal.');
  });

  it('ends with 130 when the person cancels', async () => {
    const { code, out, err } = await onTerminal('call URL draw --form', scriptedPrompts('Ada', cancel));
    expect({ code, out, err }).toEqual({ code: 130, out: '', err: '' });
  });

  it.each<[string, unknown, readonly Answer[], unknown]>([
    [
      'nested objects',
      {
        type: 'object',
        properties: { at: { type: 'object', properties: { x: { type: 'number' } }, required: ['x'] } },
        required: ['at'],
      },
      ['2'],
      { at: { x: 2 } },
    ],
    ['lists', { type: 'array', items: { type: 'string' }, minItems: 1 }, ['a', true, 'b', false], ['a', 'b']],
    ['unions', { anyOf: [{ type: 'string' }, { type: 'number' }] }, ['number', '2'], 2],
    [
      'a tagged union',
      { oneOf: [{ type: 'object', properties: { kind: { const: 'none' } }, required: ['kind'] }, { type: 'string' }] },
      ['none'],
      { kind: 'none' },
    ],
    ['null', { type: ['string', 'null'] }, [false], null],
    ['a value beside null', { type: ['string', 'null'] }, [true, 'x'], 'x'],
    [
      'further fields',
      { type: 'object', properties: { a: { const: 1 } }, required: ['a'], additionalProperties: { type: 'number' } },
      ['__proto__', '2', ''],
      JSON.parse('{"a":1,"__proto__":2}'),
    ],
    ['JSON', {}, ['{', '{"a":1}'], { a: 1 }],
    [
      'trees',
      {
        $ref: '#/$defs/t',
        $defs: {
          t: {
            type: 'object',
            properties: { v: { type: 'string' }, in: { type: 'array', items: { $ref: '#/$defs/t' } } },
            required: ['v'],
          },
        },
      },
      ['r', ['in'], true, 'c', [], false],
      { v: 'r', in: [{ v: 'c' }] },
    ],
  ])('asks for %s', async (_, schema, answers, expected) => {
    expect(await askForm(planForm(schema), scriptedPrompts(...answers))).toEqual(expected);
  });
});

describe.each(['2026-07-28', '2025-11-25'])('a request of a server under %s', (revision) => {
  it('is answered by a form, which is shown before it is sent', async () => {
    const prompts = scriptedPrompts('Answer', 'Main St', ['gift'], true, 'Send');
    const { out } = await onTerminal(`call URL order --protocol-version ${revision}`, prompts);
    expect(JSON.parse(out)).toEqual({ action: 'accept', content: { street: 'Main St', gift: true } });
    expect(prompts.asked[0]).toBe(`${url} asks: Where to?`);
    expect(prompts.asked.at(-1)).toBe('Send this?');
  });

  it.each<[Answer, string]>([
    ['Decline', 'decline'],
    [cancel, 'cancel'],
  ])('can be declined and canceled: %s', async (answer, action) => {
    const { out } = await onTerminal(`call URL order --protocol-version ${revision}`, scriptedPrompts(answer));
    expect(JSON.parse(out)).toEqual({ action });
  });

  it('for a URL shows it with its host, and opens nothing unasked', async () => {
    const prompts = scriptedPrompts('I open it');
    const { out } = await onTerminal(`call URL pay --protocol-version ${revision}`, prompts);
    expect(JSON.parse(out)).toEqual({ action: 'accept' });
  });

  it('for a model is answered by the person, or refused', async () => {
    const { out } = await onTerminal(`call URL title --protocol-version ${revision}`, scriptedPrompts('Wet Feet'));
    expect(JSON.parse(out)).toEqual({ type: 'text', text: 'Wet Feet' });
    const refused = await onTerminal(`call URL title --protocol-version ${revision}`, scriptedPrompts(cancel));
    expect(refused.code).not.toBe(0);
  });
});
