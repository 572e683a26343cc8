import { createServer, prompt, resource, resourceTemplate, type ServerDefinition, tool } from 'tenon';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';

const base = { name: 'x', version: '1' };
const make = (definition: unknown) => (): unknown => createServer(definition as ServerDefinition);
const fine = tool({}, () => '');

const icon = { src: 'https://example.com/icon.png' };
const deep: unknown = JSON.parse('['.repeat(200) + ']'.repeat(200));
const unsafe = JSON.parse(`{"src":"${icon.src}","__proto__":1}`);

describe('A definition that could only fail later is refused at once, and the place is named:', () => {
  it.each<[string, unknown, string]>([
    ['no name', {}, 'the server'],
    ['a name that is no text', { ...base, name: 5 }, 'the server.name'],
    ['icons without a source', { ...base, icons: [{}] }, 'the server.icons'],
    [
      'an icon that is nested too deep',
      { ...base, icons: [{ ...icon, more: deep }] },
      'the server is nested more than',
    ],
    [
      'an icon with an unsafe key',
      { ...base, icons: [unsafe] },
      'the server.icons[0].__proto__: this key is not allowed',
    ],
    ['tools in a list', { ...base, tools: [fine] }, 'tools is a list'],
    ['a tool that is none', { ...base, tools: { a: undefined } }, 'tools.a'],
    ['a bare function as a tool', { ...base, tools: { a: () => '' } }, 'tools.a'],
    ['a tool without a handler', { ...base, tools: { a: tool({}, undefined as never) } }, 'tools.a'],
    ['a tool without facts', { ...base, tools: { a: tool(undefined as never, () => '') } }, 'tools.a'],
    [
      'a description that is no text',
      { ...base, tools: { a: tool({ description: 5 as never }, () => '') } },
      'tools.a.description',
    ],
    [
      'icons of a tool without a source',
      { ...base, tools: { a: tool({ icons: [{} as never] }, () => '') } },
      'tools.a.icons',
    ],
    ['a name with a space', { ...base, tools: { 'a b': fine } }, 'tools["a b"]'],
    ['an empty name', { ...base, tools: { '': fine } }, 'tools[""]'],
    ['a name of 129 characters', { ...base, tools: { ['a'.repeat(129)]: fine } }, 'tools['],
    [
      'an input that is no object',
      { ...base, tools: { a: tool({ inputSchema: z.string() as never }, () => '') } },
      'tools.a.input',
    ],
    [
      'a schema that is none',
      { ...base, tools: { a: tool({ inputSchema: { type: 'object' } as never }, () => '') } },
      'tools.a.input',
    ],
    ['a resource at no URI', { ...base, resources: { 'no uri': resource({}, () => '') } }, 'resources["no uri"]'],
    [
      'a size that is no number',
      { ...base, resources: { 'a:b': resource({ size: 'x' as never }, () => '') } },
      'resources["a:b"].size',
    ],
    [
      'a template that can be read in two ways',
      { ...base, resourceTemplates: { 'a://{b}{c}': resourceTemplate({}, () => '') } },
      'a://{b}{c}',
    ],
    [
      'a completer for nothing',
      { ...base, resourceTemplates: { 'a://{b}': resourceTemplate({ complete: { c: () => [] } }, () => '') } },
      'complete.c',
    ],
    [
      'an argument of a prompt that is no string',
      { ...base, prompts: { p: prompt({ argsSchema: z.object({ n: z.number() }) as never }, () => '') } },
      'prompts.p.argsSchema.n',
    ],
    [
      'arguments of a prompt without names',
      { ...base, prompts: { p: prompt({ argsSchema: z.string() as never }, () => '') } },
      'prompts.p.argsSchema',
    ],
    ['a page of no size', { ...base, pageSize: 0 }, 'pageSize'],
  ])('%s', (_what, definition, place) => {
    expect(make(definition)).toThrow(
      expect.objectContaining({ code: 'invalid-definition', message: expect.stringContaining(place) }),
    );
  });

  it('and what was defined before stays when a change is refused', () => {
    const server = createServer({ ...base, tools: { a: fine } });
    expect(() => server.update((draft) => void (draft.tools['b c'] = fine))).toThrow(
      expect.objectContaining({ code: 'invalid-definition' }),
    );
    expect(Object.keys(server.features.tools ?? {})).toEqual(['a']);
  });

  it('a name among the options is refused: the key is the name', () => {
    expect(() => createServer({ ...base, tools: { a: tool({ name: 'zz' } as never, () => 'here') } })).toThrow(
      expect.objectContaining({ code: 'invalid-definition', message: expect.stringContaining('tools.a') }),
    );
  });
});
