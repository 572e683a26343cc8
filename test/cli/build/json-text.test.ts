/** Editing JSON with comments: whatever the layout, only the property changes. */
import { parse } from 'jsonc-parser';
import { describe, expect, it } from 'vitest';
import { withoutValue, withValue } from '../../../src/cli/config-edit/json-text.ts';

const layouts = {
  'an empty object': '{}\n',
  'no servers yet': '{\n  "theme": "dark" // mine\n}\n',
  'no servers, on one line': '{ "theme": "dark" }',
  'empty servers': '{\n  "servers": {}\n}\n',
  'empty servers with a comment': '{\n  "servers": {\n    // none yet\n  }\n}\n',
  'servers on one line': '{ "servers": { "a": { "command": "a" } } }\n',
  'a comment behind the last': '{\n  "servers": {\n    "a": {} // keep\n  }\n}\n',
  'a trailing comma': '{\n  "servers": {\n    "a": {}, // keep\n  },\n}\n',
  'a comment before the comma': '{\n  "servers": {\n    "a": {} /* one */, // two\n    "b": {}\n  }\n}\n',
  'a comment below the last': '{\n  "servers": {\n    "a": {}\n    // the end\n  }\n}\n',
  tabs: '{\n\t"servers": {\n\t\t"a": {}\n\t}\n}\n',
  'line ends of Windows': '{\r\n  "servers": {\r\n    "a": {}\r\n  }\r\n}\r\n',
} as const;

const entry = { command: 'node', args: ['x'] };

describe.each(Object.entries(layouts))('in %s', (_, text) => {
  const before = parse(text) as { servers?: object };
  const added = withValue(text, ['servers', 'w'], entry);

  it('a server is added, and all others and every comment stay', () => {
    const errors: object[] = [];
    expect(parse(added, errors as never, { allowTrailingComma: true })).toEqual({
      ...before,
      servers: { ...before.servers, w: entry },
    });
    expect(errors).toEqual([]);
    for (const comment of text.match(/\/\/.*|\/\*.*?\*\//g) ?? []) expect(added).toContain(comment);
    for (const line of text.split(/\r?\n/).filter((one) => /"[ab]"|theme/.test(one) && !one.includes('{ ')))
      expect(added.replaceAll(',', '')).toContain(line.replaceAll(',', ''));
  });

  it('a server that was added is removed, and what was there stays', () => {
    const errors: object[] = [];
    const removed = withoutValue(added, ['servers', 'w']);
    expect(parse(removed, errors as never, { allowTrailingComma: true })).toEqual({
      ...before,
      servers: before.servers ?? {},
    });
    expect(errors).toEqual([]);
    const kept = 'a' in (before.servers ?? {}) ? text : removed;
    expect(removed.replaceAll(/,|\s/g, '')).toBe(kept.replaceAll(/,|\s/g, ''));
  });

  it('a server that is replaced is in the same place', () => {
    const replaced = withValue(added, ['servers', 'w'], { url: 'u' });
    expect(replaced.indexOf('"w"')).toBe(added.indexOf('"w"'));
    expect(parse(replaced)).toMatchObject({ servers: { w: { url: 'u' } } });
  });
});

it('the first of several is removed with its comment', () => {
  const text = '{\n  "servers": {\n    "a": {}, // of a\n    "b": {} // of b\n  }\n}\n';
  expect(withoutValue(text, ['servers', 'a'])).toBe('{\n  "servers": {\n    "b": {} // of b\n  }\n}\n');
  expect(withoutValue(text, ['servers', 'b'])).toBe('{\n  "servers": {\n    "a": {} // of a\n  }\n}\n');
});
