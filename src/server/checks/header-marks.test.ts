import { describe, expect, it } from 'vitest';
import { checkHeaderMarks } from './header-marks.ts';

const object = (properties: object) => ({ type: 'object', properties });
const marked = (name: unknown, type: unknown = 'string') => ({ type, 'x-mcp-header': name });
const check = (schema: object) => (): void => checkHeaderMarks('tools.it.input', schema);

describe('a parameter with x-mcp-header', () => {
  it.each(['string', 'integer', 'boolean'])('can have the type %s', (type) => {
    expect(check(object({ a: marked('A', type) }))).not.toThrow();
  });

  it.each(['number', 'object', 'array', 'null', ['string', 'null'], undefined])(
    'cannot have the type %j [e-http-46]',
    (type) => {
      expect(check(object({ a: marked('A', type ?? null) }))).toThrow(
        expect.objectContaining({ code: 'invalid-definition', message: expect.stringContaining('input.a[') }),
      );
    },
  );

  it.each(['', ' ', 'a b', 'a:b', 'a\r\nb', 'a\u0000', 'ä', '(a)', 5, null, {}])(
    'needs a header name that is a token, unlike %j [e-http-42, e-http-43, e-http-44]',
    (name) => {
      expect(check(object({ a: marked(name) }))).toThrow(expect.objectContaining({ code: 'invalid-definition' }));
    },
  );

  it('needs a header name of its own, case-insensitively and at every level [e-http-45]', () => {
    const twice = object({ a: marked('Tenant'), b: object({ c: marked('tenant') }) });
    expect(check(twice)).toThrow(expect.objectContaining({ code: 'invalid-definition' }));
    expect(check(object({ a: marked('Tenant'), b: object({ c: marked('Tenant2') }) }))).not.toThrow();
  });

  it('can be in nested objects [e-http-48]', () => {
    expect(check(object({ a: object({ b: object({ c: marked('C') }) }) }))).not.toThrow();
  });

  it.each([
    ['items', { a: { type: 'array', items: marked('A') } }],
    ['prefixItems', { a: { type: 'array', prefixItems: [marked('A')] } }],
    ['anyOf', { a: { anyOf: [marked('A'), { type: 'null' }] } }],
    ['oneOf', { a: { oneOf: [object({ b: marked('A') })] } }],
    ['allOf', { a: { allOf: [marked('A')] } }],
    ['not', { a: { not: marked('A') } }],
    ['if', { a: { if: marked('A') } }],
    ['else', { a: { else: object({ b: marked('A') }) } }],
    ['$defs', { a: { $defs: { b: marked('A') } } }],
    ['additionalProperties', { a: { additionalProperties: marked('A') } }],
  ])('cannot be below %s [e-http-48, e-http-49]', (_name, properties) => {
    expect(check(object(properties))).toThrow(expect.objectContaining({ code: 'invalid-definition' }));
  });

  it('is not confused with data that has an x-mcp-header key, nor with a property of that name', () => {
    expect(check(object({ a: { default: { 'x-mcp-header': '' } }, 'x-mcp-header': { type: 'string' } }))).not.toThrow();
  });
});
