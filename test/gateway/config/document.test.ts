/** A configuration file as values with lines. */
import { describe, expect, it } from 'vitest';
import { ConfigDocument } from '../../../src/gateway/config/config-document.ts';

const problemsIn = (text: string): string => {
  try {
    new ConfigDocument(text, 'gateway.yaml').finish();
  } catch (error) {
    return (error as Error).message;
  }
  return '';
};

describe('A place of a file', () => {
  const text = 'listen: 3000\nupstreams:\n  a.b:\n    args:\n      - x\n      - y\n  a:\n    b: { url: z }\n';
  const document = new ConfigDocument(text, 'gateway.yaml');

  it.each([
    ['listen', 1],
    ['upstreams', 2],
    ['upstreams.a.b', 3],
    ['upstreams.a.b.args[1]', 6],
    ['upstreams.a', 7],
    ['upstreams.a.b.url', 3],
    ['upstreams.a.c', 7],
    ['upstreams.other', 2],
    ['protect', 1],
  ])('%s is in line %i', (place, line) => {
    expect(document.lineOf(place)).toBe(line);
  });

  it('is the same in JSON', () => {
    const json = new ConfigDocument('{\n  "upstreams": {\n    "a": {\n      "url": "x"\n    }\n  }\n}', 'g.json');
    expect(['upstreams', 'upstreams.a', 'upstreams.a.url'].map((place) => json.lineOf(place))).toEqual([2, 3, 4]);
    expect(json.value).toEqual({ upstreams: { a: { url: 'x' } } });
  });
});

describe('A file that cannot be read is refused with its line', () => {
  it.each([
    ['not an object', '- a', 'gateway.yaml:1: The file is not an object.'],
    ['empty', '', 'gateway.yaml:1: The file is not an object.'],
    ['broken', 'a: 1\nb: [', 'gateway.yaml:2: The file is not valid YAML or JSON.'],
    ['a key twice', 'a: 1\na: 2', 'gateway.yaml:2: The file is not valid YAML or JSON.'],
    ['an alias', 'a: &x 1\nb: *x', 'gateway.yaml:1: The file has an anchor or alias.'],
    ['too deep', `a:\n  ${'['.repeat(40)}`, 'gateway.yaml:2: The file is nested too deeply.'],
    ['too long', `a: ${'x'.repeat(1024 * 1024)}`, 'gateway.yaml:1: The file is too long.'],
  ])('%s', (_what, text, problem) => {
    expect(problemsIn(text)).toContain(problem);
  });
});

it('A member named __proto__ is a member like any other', () => {
  const { value } = new ConfigDocument('__proto__: { admin: 1 }\nlisten: 3', 'gateway.yaml');
  expect(Object.keys(value)).toEqual(['__proto__', 'listen']);
  expect(value.admin).toBeUndefined();
});

it('Of many problems, the first 50 are listed and the others counted', () => {
  const document = new ConfigDocument(Array.from({ length: 60 }, (_, at) => `a${at}: 1`).join('\n'), 'g.yaml');
  for (const name of Object.keys(document.value))
    document.report({ place: name, text: `${name} is wrong.`, hint: 'Fix it.' });
  expect(() => document.finish()).toThrow(
    /^There are 60 problems:\n  g\.yaml:1: a0 is wrong\. Fix it\.\n[^]*g\.yaml:50: a49[^]*\n  10 more problems$/,
  );
});
