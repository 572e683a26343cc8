import { createServer, prompt, resource, resourceTemplate, type ServerDefinition, tool } from 'tenon';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';

const base = { name: 'x', version: '1' };
const make = (definition: unknown) => (): unknown => createServer(definition as ServerDefinition);
const fine = tool({}, () => '');

const icon = { src: 'https://example.com/icon.png' };
const deep: unknown = JSON.parse('['.repeat(200) + ']'.repeat(200));
const unsafe = JSON.parse(`{"src":"${icon.src}","__proto__":1}`);

describe('createServer() rejects an invalid definition and names the place:', () => {
  it.each<[string, unknown, string]>([
    ['no name', {}, 'name'],
    ['a name that is not a string', { ...base, name: 5 }, 'name'],
    ['icons without a source', { ...base, icons: [{}] }, 'server.icons'],
    ['an icon that is nested too deep', { ...base, icons: [{ ...icon, more: deep }] }, 'server is nested more than'],
    ['an icon with an unsafe key', { ...base, icons: [unsafe] }, 'server.icons[0].__proto__: this key is not allowed'],
    ['tools in a list', { ...base, tools: [fine] }, 'tools is a list'],
    ['a tool that is undefined', { ...base, tools: { a: undefined } }, 'tools.a'],
    ['a bare function as a tool', { ...base, tools: { a: () => '' } }, 'tools.a'],
    ['a tool without a handler', { ...base, tools: { a: { ...fine, handler: undefined } } }, 'tools.a'],
    ['a tool without options', { ...base, tools: { a: { ...fine, options: undefined } } }, 'tools.a'],
    [
      'a description that is not a string',
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
      'an inputSchema that is not an object',
      { ...base, tools: { a: tool({ inputSchema: z.string() as never }, () => '') } },
      'tools.a.input',
    ],
    [
      'an inputSchema that is not a Standard Schema',
      { ...base, tools: { a: tool({ inputSchema: { type: 'object' } as never }, () => '') } },
      'tools.a.input',
    ],
    [
      'a resource whose key is not a URI',
      { ...base, resources: { 'no uri': resource({}, () => '') } },
      'resources["no uri"]',
    ],
    [
      'a size that is not a number',
      { ...base, resources: { 'a:b': resource({ size: 'x' as never }, () => '') } },
      'resources["a:b"].size',
    ],
    [
      'an ambiguous template',
      { ...base, resourceTemplates: { 'a://{b}{c}': resourceTemplate({}, () => '') } },
      'a://{b}{c}',
    ],
    [
      'a completer for a variable that does not exist',
      { ...base, resourceTemplates: { 'a://{b}': resourceTemplate({ complete: { c: () => [] } }, () => '') } },
      'complete.c',
    ],
    [
      'a prompt argument that is not a string',
      { ...base, prompts: { p: prompt({ argsSchema: z.object({ n: z.number() }) as never }, () => '') } },
      'prompts.p.argsSchema.n',
    ],
    [
      'an argsSchema that is not an object',
      { ...base, prompts: { p: prompt({ argsSchema: z.string() as never }, () => '') } },
      'prompts.p.argsSchema',
    ],
    ['a page size of 0', { ...base, pageSize: 0 }, 'pageSize'],
  ])('%s', (_what, definition, place) => {
    expect(make(definition)).toThrow(
      expect.objectContaining({ code: 'invalid-definition', message: expect.stringContaining(place) }),
    );
  });

  it('a rejected update leaves the features unchanged', () => {
    const server = createServer({ ...base, tools: { a: fine } });
    expect(() => server.update((draft) => void (draft.tools['b c'] = fine))).toThrow(
      expect.objectContaining({ code: 'invalid-definition' }),
    );
    expect(Object.keys(server.features.tools ?? {})).toEqual(['a']);
  });

  it('a name among the options is rejected: the key is the name', () => {
    expect(() => createServer({ ...base, tools: { a: tool({ name: 'zz' } as never, () => 'here') } })).toThrow(
      expect.objectContaining({ code: 'invalid-definition', message: expect.stringContaining('tools.a') }),
    );
  });
});
