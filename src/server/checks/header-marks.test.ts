import { describe, expect, it } from 'vitest';
import { checkHeaderMarks } from './header-marks.ts';

const object = (properties: object) => ({ type: 'object', properties });
const marked = (name: unknown, type: unknown = 'string') => ({ type, 'x-mcp-header': name });
const judged = (schema: object) => (): void => checkHeaderMarks('tools.it.input', schema);

describe('a parameter that is to be repeated in a header', () => {
  it.each(['string', 'integer', 'boolean'])('may be of type %s', (type) => {
    expect(judged(object({ a: marked('A', type) }))).not.toThrow();
  });

  it.each(['number', 'object', 'array', 'null', ['string', 'null'], undefined])(
    'may not be of type %j [e-http-46]',
    (type) => {
      expect(judged(object({ a: marked('A', type ?? null) }))).toThrow(
        expect.objectContaining({ code: 'invalid-definition', message: expect.stringContaining('input.a[') }),
      );
    },
  );

  it.each(['', ' ', 'a b', 'a:b', 'a\r\nb', 'a\u0000', 'ä', '(a)', 5, null, {}])(
    'needs a name that is a token, which %j is not [e-http-42, e-http-43, e-http-44]',
    (name) => {
      expect(judged(object({ a: marked(name) }))).toThrow(expect.objectContaining({ code: 'invalid-definition' }));
    },
  );

  it('has its name for itself, whatever the case and wherever the other is [e-http-45]', () => {
    const twice = object({ a: marked('Tenant'), b: object({ c: marked('tenant') }) });
    expect(judged(twice)).toThrow(expect.objectContaining({ code: 'invalid-definition' }));
    expect(judged(object({ a: marked('Tenant'), b: object({ c: marked('Tenant2') }) }))).not.toThrow();
  });

  it('may be within objects of objects [e-http-48]', () => {
    expect(judged(object({ a: object({ b: object({ c: marked('C') }) }) }))).not.toThrow();
  });

  it.each([
    ['a list', { a: { type: 'array', items: marked('A') } }],
    ['a list of several', { a: { type: 'array', prefixItems: [marked('A')] } }],
    ['a choice', { a: { anyOf: [marked('A'), { type: 'null' }] } }],
    ['one of several', { a: { oneOf: [object({ b: marked('A') })] } }],
    ['all of several', { a: { allOf: [marked('A')] } }],
    ['what is excluded', { a: { not: marked('A') } }],
    ['a condition', { a: { if: marked('A') } }],
    ['a consequence', { a: { else: object({ b: marked('A') }) } }],
    ['a definition', { a: { $defs: { b: marked('A') } } }],
    ['other keys', { a: { additionalProperties: marked('A') } }],
  ])('may not be behind %s [e-http-48, e-http-49]', (_name, properties) => {
    expect(judged(object(properties))).toThrow(expect.objectContaining({ code: 'invalid-definition' }));
  });

  it('is no matter for data that looks like a mark, nor for a property of that name', () => {
    expect(
      judged(object({ a: { default: { 'x-mcp-header': '' } }, 'x-mcp-header': { type: 'string' } })),
    ).not.toThrow();
  });
});
