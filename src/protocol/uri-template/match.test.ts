import { describe, expect, it } from 'vitest';
import { createMatcher } from './match.ts';
import { parseUriTemplate } from './parse.ts';

const match = (template: string, uri: string): Record<string, string> | undefined =>
  createMatcher(parseUriTemplate(template))(uri);

describe('matching', () => {
  it.each([
    ['weather://{city}/now', 'weather://Oslo/now', { city: 'Oslo' }],
    ['x://{a}/{b}', 'x://1/2', { a: '1', b: '2' }],
    ['x://{a,b}', 'x://1,2', { a: '1', b: '2' }],
    ['x:{/a,b}', 'x:/1/2', { a: '1', b: '2' }],
    ['x:{/a}{/b}', 'x:/1/2', { a: '1', b: '2' }],
    ['x://{name}.json', 'x://a.json.json', { name: 'a.json' }],
    ['x://v-{a}-z/{b}', 'x://v--z-z/2', { a: '-z', b: '2' }],
    ['x://file{.ext}', 'x://file.tar.gz', { ext: 'tar.gz' }],
    ['x://{a},-{b}', 'x://1-,-2', { a: '1-', b: '2' }],
    ['file:///{+path}', 'file:///a/b?c#d', { path: 'a/b?c#d' }],
    ['x://{repo}/{+path}/{rev}', 'x://r/a/b/c', { repo: 'r', path: 'a/b', rev: 'c' }],
    ['x://{+path}:{line}', 'x://a:b:12', { path: 'a:b', line: '12' }],
    ['x://{+path}/v-{a}.md', 'x://p/q/v-1.2.md', { path: 'p/q', a: '1.2' }],
    ['x://doc{#part}', 'x://doc#a/b', { part: 'a/b' }],
    ['x:{/a,b}{#part}', 'x:/1/2#a/b', { a: '1', b: '2', part: 'a/b' }],
    ['{a}{#part}/{b}/{c}', '1#2/3/4', { a: '1', part: '2', b: '3', c: '4' }],
    ['x://é/{a}', 'x://%C3%A9/1', { a: '1' }],
    ['x://y', 'x://y', {}],
  ])('%s takes %s', (template, uri, values) => {
    expect(match(template, uri)).toEqual(values);
  });

  it.each([
    ['x://{a}', 'x://1/2', 'a segment too many'],
    ['x://{a}', 'x://1?b', 'a query too many'],
    ['x://{a}', 'x://1#b', 'a fragment too many'],
    ['x://{a}/z', 'x://1', 'a literal missing'],
    ['x://{a}', 'X://1', 'a scheme in another case'],
    ['x://{a}/z', 'x:///z', 'nothing for a variable'],
    ['x://{+a}', 'x://', 'nothing for a greedy variable'],
    ['x://a{+p}a', 'x://a', 'a literal that would have to serve twice'],
    ['x://{a},{b}', 'x://1,2,3', 'one separator too many'],
    ['x://doc{#part}', 'x://doc', 'no fragment'],
    ['x?q={q}', 'x?q=1&r=2', 'a parameter too many'],
    ['x://y', 'x://y/', 'anything more than the literal text'],
  ])('%s does not take %s: %s', (template, uri) => {
    expect(match(template, uri)).toBeUndefined();
  });

  it('gives no value under a name that only a prototype would have', () => {
    expect(match('x{?constructor}', 'x')?.['constructor']).toBeUndefined();
  });
});

describe('a query', () => {
  it.each([
    ['x{?a,b}', 'x?a=1&b=2', { a: '1', b: '2' }],
    ['x{?a,b}', 'x?b=2&a=1', { a: '1', b: '2' }],
    ['x{?a,b}', 'x?b=', { b: '' }],
    ['x{?a,b}', 'x?b', { b: '' }],
    ['x{?a,b}', 'x', {}],
    ['x{?a}', "x?a=/?:=+'", { a: "/?:=+'" }],
    ['x?f=1{&a}', 'x?f=1&a=2', { a: '2' }],
    ['x?f={f}{&a}', 'x?f=1&a=2', { f: '1', a: '2' }],
    ['x?f={f}{&a}', 'x?f=1', { f: '1' }],
    ['x://{i}.json{?a}', 'x://1.json?a=2', { i: '1', a: '2' }],
    ['x{?a}{#f}', 'x?a=1#y&b=?', { a: '1', f: 'y&b=?' }],
    ['x{?a}#s-{f}', 'x#s-2', { f: '2' }],
  ])('of %s is read from %s', (template, uri, values) => {
    expect(match(template, uri)).toEqual(values);
  });

  it.each([
    ['x?', 'no pair'],
    ['x?a=1&', 'an empty pair'],
    ['x?c=1', 'an unknown name'],
    ['x?a=1&a=1', 'a name twice'],
    ['x?a=1&b=2&b=3', 'more pairs than names'],
    ['x&a=1', 'the wrong marker'],
    ['x?a=1#f', 'a fragment'],
    ['x?%61=1', 'an encoded name'],
  ])('does not fit %s: %s', (uri) => {
    expect(match('x{?a,b}', uri)).toBeUndefined();
  });
});

describe('encoding', () => {
  it.each(['%', '%4', '%zz', 'a%', '%C3', '%FF', '%C0%AF', '%ED%A0%80'])('%s is not a value', (value) => {
    expect(match('x://{a}', `x://${value}`)).toBeUndefined();
    expect(match('x://{+a}', `x://${value}`)).toBeUndefined();
    expect(match('x{?a}', `x?a=${value}`)).toBeUndefined();
  });

  it('decodes once, after the URI is cut, so that an encoded separator separates nothing', () => {
    expect(match('x://{a}/{b}', 'x://..%2F%2e%2e/%252F')).toEqual({ a: '../..', b: '%2F' });
    expect(match('x://{a}', 'x://a/../b')).toBeUndefined();
  });

  it('takes what clients forget to encode, where it can mean one thing only', () => {
    expect(match('x://{a}/z', "x://O'Brien (São Paulo): a@b/z")).toEqual({ a: "O'Brien (São Paulo): a@b" });
    expect(match('x://é/{a}', 'x://é/1')).toEqual({ a: '1' });
  });

  it('does not cut a triplet in two', () => {
    expect(match('x://{a}9', 'x://%C3%A9')).toBeUndefined();
  });
});

describe('a template that cannot be matched is refused at definition', () => {
  it.each([
    ['{a}{b}', 3, 'nothing between two variables'],
    ['{a}-{b}', 4, 'what a value may hold between two variables'],
    ['{a}{.b}', 3, 'a dot between two variables'],
    ['{a}%2F{b}', 6, 'an encoded character between two variables'],
    ['{+a}{b}', 4, 'nothing behind a greedy variable'],
    ['{a}.{+b}', 4, 'nothing certain before a greedy variable'],
    ['{+a}/{+b}', 5, 'two greedy variables'],
    ['{+a,b}', 0, 'two greedy variables in one'],
    ['{+a}{#b}', 4, 'a fragment behind a greedy variable'],
    ['{+a}{?b}', 4, 'a query behind a greedy variable'],
    ['{a}{#b}{/c,d}', 7, 'separators that an unset variable leaves out, behind a greedy variable'],
    ['{+a}{/b}', 4, 'a separator that an unset variable leaves out, behind a greedy variable'],
    ['x{/a}/{+b}', 1, 'a separator that an unset variable leaves out, before a greedy variable'],
    ['{+a},{b,c}', 5, 'a comma that an unset variable leaves out, behind a greedy variable'],
    ['{a,b},{+c}', 0, 'a comma that an unset variable leaves out, before a greedy variable'],
    ['x{?a}{?b}', 1, 'two queries'],
    ['x{?a}{&b}', 1, 'a query in two parts'],
    ['x{?a}/y', 1, 'a path behind a query'],
    ['x{?a}{b}', 1, 'a variable behind a query'],
    ['x?y{?a}', 3, 'a second question mark'],
    ['x{&a}', 1, 'a continued query without its beginning'],
    ['x#y{?a}', 3, 'a query within the fragment'],
    ['x{;a}', 1, 'path parameters'],
    ['x{a*}', 1, 'a list'],
    ['x{?a*}', 1, 'a list in the query'],
    ['x{a:3}', 1, 'a prefix'],
    ['{a}/{a}', 4, 'a name that stands twice'],
    ['{a}{?a}', 3, 'a name that stands in path and query'],
    ['{__proto__}', 0, 'an unsafe name'],
  ])('%s, at offset %i: %s', (template, position) => {
    expect(() => match(template, '')).toThrow(
      expect.objectContaining({
        code: 'invalid-definition',
        details: { template, position },
        hint: expect.any(String),
      }),
    );
  });
});
