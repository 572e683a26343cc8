import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { scaled } from '../../../test/kit/long.ts';
import { encodeReserved } from './encoding.ts';
import { expandTemplate } from './expand.ts';
import { createMatcher, type TemplateMatcher } from './match.ts';
import { parseUriTemplate, type UriTemplate } from './parse.ts';

const runs = scaled(1000, 40_000);

interface Subject {
  readonly template: UriTemplate;
  readonly match: TemplateMatcher;
}

/** The template and its matcher, or undefined where matching refuses the template. */
function subjectOf(text: string): Subject | undefined {
  const template = parseUriTemplate(text);
  try {
    return { template, match: createMatcher(template) };
  } catch {
    return undefined;
  }
}

/** Replaces each `_` by a name of its own. */
function nameVariables(text: string): string {
  let count = 0;
  return text.replaceAll('_', () => `v${count++}`);
}

const literal = fc.constantFrom('a', '-', '.', '/', ',', ':', '?', '&', '=', '#', 'é', '%41', '9', 'x://');
const plain = fc.constantFrom('{_}', '{+_}');
const expression = fc.constantFrom(
  '{_}',
  '{_,_}',
  '{+_}',
  '{/_}',
  '{/_,_}',
  '{._}',
  '{#_}',
  '{?_,_}',
  '{&_}',
  '{&_,_}',
);

/** Every template of these pieces that matching accepts. */
const subjectFrom = (pieces: fc.Arbitrary<string>): fc.Arbitrary<Subject> =>
  fc
    .array(pieces, { minLength: 1, maxLength: 8 })
    .map((parts) => subjectOf(nameVariables(parts.join(''))))
    .filter((subject) => subject !== undefined);

const subject = subjectFrom(fc.oneof(literal, expression));

const awkward = fc.constantFrom('a', '-', '.', '..', '/', ',', ':', '?', '&', '=', '#', '%', '41', 'é', '😀', '+', ' ');
const value = fc.oneof(fc.string({ unit: awkward, maxLength: 5 }), fc.string({ unit: 'binary', maxLength: 5 }));

/** What matching an expansion must return: undefined where a value leaves no trace, or an ambiguous one. */
function expectation({ parts }: UriTemplate, values: Record<string, string | undefined>): unknown {
  const expected: Record<string, string> = {};
  for (const part of parts) {
    if (typeof part === 'string') continue;
    for (const { name } of part.variables) {
      const given = values[name];
      if (part.operator === '?' || part.operator === '&') {
        if (given !== undefined) expected[name] = given;
        continue;
      }
      if (given === undefined || given === '') return undefined;
      if (part.operator !== '+' && part.operator !== '#') {
        expected[name] = given;
        continue;
      }
      try {
        expected[name] = decodeURIComponent(given.replaceAll(/%(?![\dA-Fa-f]{2})/g, '%25'));
      } catch {
        return undefined;
      }
    }
  }
  return expected;
}

describe('matching and expanding', () => {
  it('are each other’s reverse for every template that is accepted and every set of values', () => {
    const given = subject.chain((held) =>
      fc.tuple(
        fc.constant(held),
        fc.record(
          Object.fromEntries(held.template.names.map((name) => [name, fc.option(value, { nil: undefined, freq: 15 })])),
        ),
      ),
    );
    let matched = 0;
    fc.assert(
      fc.property(given, ([{ template, match }, values]) => {
        const expected = expectation(template, values);
        if (expected !== undefined) matched++;
        expect(match(expandTemplate(template, values))).toEqual(expected);
      }),
      { seed: 7, numRuns: runs },
    );
    expect(matched).toBeGreaterThan(runs / 2);
  });
});

const reserved = /[:/?#[\]@!$&'()*+,;=]/;

/** The characters a variable may not hold, by the letter of the rule: those of its own segment, read off the text. */
function stopsIn(text: string, name: string): string {
  const at = text.indexOf(`{${name}}`);
  const bare = text.replaceAll(/\{[^}]*\}/g, (found) => '_'.repeat(found.length));
  const start = Math.max(...['/', '?', '#'].map((mark) => bare.lastIndexOf(mark, at)));
  const [segment = ''] = bare.slice(start + 1).split(/[/?#]/);
  return `/?#${bare[start] === '?' ? '&' : ''}${[...segment].filter((character) => reserved.test(character)).join('')}`;
}

/** Every way to read a URI by a template, found by trying all. */
function readings({ text, parts }: UriTemplate, uri: string): Record<string, string>[] {
  const [part, ...rest] = parts;
  if (part === undefined) return uri === '' ? [{}] : [];
  const further = (length: number): Record<string, string>[] =>
    readings({ text, parts: rest, names: [] }, uri.slice(length));
  if (typeof part === 'string') return uri.startsWith(part) ? further(part.length) : [];
  const name = part.variables[0]?.name ?? '';
  const stops = part.operator === '+' ? '' : stopsIn(text, name);
  const found: Record<string, string>[] = [];
  for (let length = 1; length <= uri.length && !stops.includes(uri.charAt(length - 1)); length++) {
    found.push(...further(length).map((others) => ({ ...others, [name]: uri.slice(0, length) })));
  }
  return found;
}

describe('a URI', () => {
  it('can be read in one way at most, and matching finds it', () => {
    const raw = fc.string({ unit: fc.constantFrom('a', '-', '.', '/', ',', ':', '?', '&', '='), maxLength: 4 });
    const given = subjectFrom(
      fc.oneof(
        literal.filter((text) => !'%41é'.includes(text)),
        plain,
      ),
    ).chain((held) => fc.tuple(fc.constant(held), fc.array(raw, { minLength: 8, maxLength: 8 })));
    let read = 0;
    fc.assert(
      fc.property(given, ([{ template, match }, fillings]) => {
        const uri = template.parts.map((part, index) => (typeof part === 'string' ? part : fillings[index])).join('');
        const ways = readings(template, uri);
        read += ways.length;
        expect(ways.length).toBeLessThanOrEqual(1);
        expect(match(uri)).toEqual(ways[0]);
      }),
      { seed: 7, numRuns: runs },
    );
    expect(read).toBeGreaterThan(runs / 4);
  });

  it('of any kind is matched or not, and nothing is thrown', () => {
    const uri = fc.oneof(
      fc.string({ unit: fc.oneof(literal, awkward, fc.constantFrom('\ud800', '%C3', '%FF')), maxLength: 20 }),
      fc.string({ unit: 'binary' }),
    );
    fc.assert(
      fc.property(subject, uri, ({ match }, text) => {
        const values = match(text);
        expect(values === undefined || Object.values(values).every((each) => typeof each === 'string')).toBe(true);
      }),
      { seed: 7, numRuns: runs },
    );
  });
});

/** The characters that the methods used by matching look at or copy while `run` runs. */
function charactersRead(run: () => unknown): number {
  let count = 0;
  const undo: (() => void)[] = [];
  const meter = (
    owner: object,
    name: string,
    cost: (self: unknown, first: unknown, result: unknown) => number,
  ): void => {
    const original = Reflect.get(owner, name) as (...args: unknown[]) => unknown;
    undo.push(() => Reflect.set(owner, name, original));
    Reflect.set(owner, name, function (this: unknown, ...args: unknown[]) {
      const result = Reflect.apply(original, this, args);
      count += cost(this, args[0], result);
      return result;
    });
  };
  const size = (text: unknown): number => String(text).length;
  meter(String.prototype, 'charAt', () => 1);
  meter(String.prototype, 'startsWith', (_, needle) => size(needle));
  meter(String.prototype, 'slice', (_, __, result) => size(result));
  meter(Array.prototype, 'join', (_, __, result) => size(result));
  for (const name of ['indexOf', 'replace', 'search', 'split', 'match']) meter(String.prototype, name, size);
  // `exec` stays as it is: once replaced, the engine would call it anew for each find of one `replace`.
  meter(RegExp.prototype, 'test', (_, text) => size(text));
  meter(globalThis, 'decodeURIComponent', (_, text) => size(text));
  try {
    run();
  } finally {
    for (const step of undo.reverse()) step();
  }
  return count;
}

describe('the work of a match', () => {
  it('is linear in the URI, however its parts repeat', () => {
    const repeated = fc
      .tuple(
        fc.array(fc.oneof(literal, fc.constantFrom('v0', '=', '&v1=')), { minLength: 1, maxLength: 3 }),
        fc.nat(600),
      )
      .map(([parts, times]) => parts.join('').repeat(times));
    const given = subject.chain((held) =>
      fc.tuple(fc.constant(held), fc.array(repeated, { minLength: 8, maxLength: 8 })),
    );
    fc.assert(
      fc.property(given, ([{ template, match }, fillings]) => {
        const uri = template.parts.map((part, index) => (typeof part === 'string' ? part : fillings[index])).join('');
        const work = charactersRead(() => match(uri));
        expect(work).toBeGreaterThan(0);
        expect(work).toBeLessThanOrEqual(10 * (encodeReserved(uri).length + template.text.length));
      }),
      { seed: 7, numRuns: 600 },
    );
  });

  it('is counted: a search that starts again at every character would show', () => {
    const text = 'a'.repeat(1000);
    const restart = (): void => {
      for (let at = 0; at < text.length; at++) text.slice(at);
    };
    expect(charactersRead(restart)).toBeGreaterThan(10 * text.length);
  });
});
