import { describe, expect, it } from 'vitest';
import { expandTemplate, type TemplateValue } from './expand.ts';
import { parseUriTemplate } from './parse.ts';

const expand = (text: string, values: Record<string, TemplateValue>): string =>
  expandTemplate(parseUriTemplate(text), values);

/** The variables of RFC 6570, section 3.2. */
const variables: Record<string, TemplateValue> = {
  count: ['one', 'two', 'three'],
  dom: ['example', 'com'],
  dub: 'me/too',
  hello: 'Hello World!',
  half: '50%',
  var: 'value',
  who: 'fred',
  base: 'http://example.com/home/',
  path: '/foo/bar',
  list: ['red', 'green', 'blue'],
  keys: { semi: ';', dot: '.', comma: ',' },
  v: '6',
  x: '1024',
  y: '768',
  empty: '',
  empty_keys: {},
  undef: null,
};

/** The examples of the RFC, section by section. */
const examples: Record<string, Record<string, string>> = {
  '3.2.1 variable expansion': {
    '{count}': 'one,two,three',
    '{count*}': 'one,two,three',
    '{/count}': '/one,two,three',
    '{/count*}': '/one/two/three',
    '{;count}': ';count=one,two,three',
    '{;count*}': ';count=one;count=two;count=three',
    '{?count}': '?count=one,two,three',
    '{?count*}': '?count=one&count=two&count=three',
    '{&count*}': '&count=one&count=two&count=three',
  },
  '3.2.2 simple': {
    '{var}': 'value',
    '{hello}': 'Hello%20World%21',
    '{half}': '50%25',
    'O{empty}X': 'OX',
    'O{undef}X': 'OX',
    '{x,y}': '1024,768',
    '{x,hello,y}': '1024,Hello%20World%21,768',
    '?{x,empty}': '?1024,',
    '?{x,undef}': '?1024',
    '?{undef,y}': '?768',
    '{var:3}': 'val',
    '{var:30}': 'value',
    '{list}': 'red,green,blue',
    '{list*}': 'red,green,blue',
    '{keys}': 'semi,%3B,dot,.,comma,%2C',
    '{keys*}': 'semi=%3B,dot=.,comma=%2C',
  },
  '3.2.3 reserved': {
    '{+var}': 'value',
    '{+hello}': 'Hello%20World!',
    '{+half}': '50%25',
    '{base}index': 'http%3A%2F%2Fexample.com%2Fhome%2Findex',
    '{+base}index': 'http://example.com/home/index',
    'O{+empty}X': 'OX',
    'O{+undef}X': 'OX',
    '{+path}/here': '/foo/bar/here',
    'here?ref={+path}': 'here?ref=/foo/bar',
    'up{+path}{var}/here': 'up/foo/barvalue/here',
    '{+x,hello,y}': '1024,Hello%20World!,768',
    '{+path,x}/here': '/foo/bar,1024/here',
    '{+path:6}/here': '/foo/b/here',
    '{+list}': 'red,green,blue',
    '{+list*}': 'red,green,blue',
    '{+keys}': 'semi,;,dot,.,comma,,',
    '{+keys*}': 'semi=;,dot=.,comma=,',
  },
  '3.2.4 fragment': {
    '{#var}': '#value',
    '{#hello}': '#Hello%20World!',
    '{#half}': '#50%25',
    'foo{#empty}': 'foo#',
    'foo{#undef}': 'foo',
    '{#x,hello,y}': '#1024,Hello%20World!,768',
    '{#path,x}/here': '#/foo/bar,1024/here',
    '{#path:6}/here': '#/foo/b/here',
    '{#list}': '#red,green,blue',
    '{#list*}': '#red,green,blue',
    '{#keys}': '#semi,;,dot,.,comma,,',
    '{#keys*}': '#semi=;,dot=.,comma=,',
  },
  '3.2.5 label': {
    '{.who}': '.fred',
    '{.who,who}': '.fred.fred',
    '{.half,who}': '.50%25.fred',
    'www{.dom*}': 'www.example.com',
    'X{.var}': 'X.value',
    'X{.empty}': 'X.',
    'X{.undef}': 'X',
    'X{.var:3}': 'X.val',
    'X{.list}': 'X.red,green,blue',
    'X{.list*}': 'X.red.green.blue',
    'X{.keys}': 'X.semi,%3B,dot,.,comma,%2C',
    'X{.keys*}': 'X.semi=%3B.dot=..comma=%2C',
    'X{.empty_keys}': 'X',
    'X{.empty_keys*}': 'X',
  },
  '3.2.6 path': {
    '{/who}': '/fred',
    '{/who,who}': '/fred/fred',
    '{/half,who}': '/50%25/fred',
    '{/who,dub}': '/fred/me%2Ftoo',
    '{/var}': '/value',
    '{/var,empty}': '/value/',
    '{/var,undef}': '/value',
    '{/var,x}/here': '/value/1024/here',
    '{/var:1,var}': '/v/value',
    '{/list}': '/red,green,blue',
    '{/list*}': '/red/green/blue',
    '{/list*,path:4}': '/red/green/blue/%2Ffoo',
    '{/keys}': '/semi,%3B,dot,.,comma,%2C',
    '{/keys*}': '/semi=%3B/dot=./comma=%2C',
  },
  '3.2.7 path parameters': {
    '{;who}': ';who=fred',
    '{;half}': ';half=50%25',
    '{;empty}': ';empty',
    '{;v,empty,who}': ';v=6;empty;who=fred',
    '{;v,bar,who}': ';v=6;who=fred',
    '{;x,y}': ';x=1024;y=768',
    '{;x,y,empty}': ';x=1024;y=768;empty',
    '{;x,y,undef}': ';x=1024;y=768',
    '{;hello:5}': ';hello=Hello',
    '{;list}': ';list=red,green,blue',
    '{;list*}': ';list=red;list=green;list=blue',
    '{;keys}': ';keys=semi,%3B,dot,.,comma,%2C',
    '{;keys*}': ';semi=%3B;dot=.;comma=%2C',
  },
  '3.2.8 query': {
    '{?who}': '?who=fred',
    '{?half}': '?half=50%25',
    '{?x,y}': '?x=1024&y=768',
    '{?x,y,empty}': '?x=1024&y=768&empty=',
    '{?x,y,undef}': '?x=1024&y=768',
    '{?var:3}': '?var=val',
    '{?list}': '?list=red,green,blue',
    '{?list*}': '?list=red&list=green&list=blue',
    '{?keys}': '?keys=semi,%3B,dot,.,comma,%2C',
    '{?keys*}': '?semi=%3B&dot=.&comma=%2C',
  },
  '3.2.9 query continuation': {
    '{&who}': '&who=fred',
    '{&half}': '&half=50%25',
    '?fixed=yes{&x}': '?fixed=yes&x=1024',
    '{&x,y,empty}': '&x=1024&y=768&empty=',
    '{&x,y,undef}': '&x=1024&y=768',
    '{&var:3}': '&var=val',
    '{&list}': '&list=red,green,blue',
    '{&list*}': '&list=red&list=green&list=blue',
    '{&keys}': '&keys=semi,%3B,dot,.,comma,%2C',
    '{&keys*}': '&semi=%3B&dot=.&comma=%2C',
  },
};

describe.each(Object.entries(examples))('RFC 6570 section %s', (_, pairs) => {
  it.each(Object.entries(pairs))('expands %s to %s', (template, uri) => {
    expect(expand(template, variables)).toBe(uri);
  });
});

describe('values', () => {
  it('takes numbers and booleans as their text', () => {
    expect(expand('{a,b}{?a,b}', { a: 0, b: false })).toBe('0,false?a=0&b=false');
  });

  it('leaves out what is unset, an empty list, and a name that only the prototype has', () => {
    expect(expand('x{/a,b,c,toString,constructor}', { a: undefined, b: null, c: [] })).toBe('x');
  });

  it('encodes text as UTF-8, and a lone surrogate as U+FFFD', () => {
    expect(expand('é{a}{+a}', { a: 'ü€😀\ud800' })).toBe(`%C3%A9${'%C3%BC%E2%82%AC%F0%9F%98%80%EF%BF%BD'.repeat(2)}`);
  });

  it('lets triplets pass in {+a} and {#a} alone', () => {
    expect(expand('{a}/{+a}{#a}', { a: '%41%4' })).toBe('%2541%254/%41%254#%41%254');
  });

  it('keeps a key of a record from adding a parameter', () => {
    expect(expand('{?a*}', { a: { 'x&y': '1' } })).toBe('?x%26y=1');
  });
});

describe('a prefix', () => {
  it('counts code points', () => {
    expect(expand('{a:2}', { a: '😀é!' })).toBe('%F0%9F%98%80%C3%A9');
  });

  it('counts the triplets of one code point as one character where triplets pass', () => {
    expect(expand('{+a:2}', { a: '%F0%9F%98%80%c3%a9%41' })).toBe('%F0%9F%98%80%c3%a9');
    expect(expand('{#a:2}', { a: '%FF%E2%82x' })).toBe('#%FF%E2');
    expect(expand('{a:2}', { a: '%41' })).toBe('%254');
  });

  it('works on numbers', () => {
    expect(expand('{a:2}', { a: 1234 })).toBe('12');
  });

  it.each([[['a']], [[]], [{ a: 'b' }]])('is refused on a list or a record: %j', (a) => {
    expect(() => expand('{a:2}', { a })).toThrow(expect.objectContaining({ code: 'invalid-outgoing-message' }));
  });
});
