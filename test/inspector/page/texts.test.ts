/** Texts that the page reads and writes: targets, events, Markdown, JSON, tables, differences, and copies of a call. */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { eventReader } from '../../../apps/inspector/src/api/event-stream.ts';
import { lineOf, pairsIn, targetIn, wordsIn } from '../../../apps/inspector/src/connect/target-text.ts';
import { copiesOf } from '../../../apps/inspector/src/features/copies.ts';
import { jsonTokens } from '../../../apps/inspector/src/form/json-tokens.ts';
import { diffLines } from '../../../apps/inspector/src/result/diff.ts';
import { isMarkdown, readMarkdown, readSpans } from '../../../apps/inspector/src/result/markdown.ts';
import { tableIn } from '../../../apps/inspector/src/result/tables.ts';
import type { ClientInfo, RunRequest } from '../../../src/inspector/api.ts';
import { protocolVersions } from '../../../src/protocol/index.ts';
import { longTexts } from '../hostile/texts.ts';
import { client } from './sample.ts';

const oldest = protocolVersions[0] ?? '';
const newest = protocolVersions.at(-1) ?? '';

it('a stream of events is read across chunks, without comments', () => {
  const read = eventReader();
  expect(read(': open\n\nid: 1\nda')).toEqual([]);
  expect(read('ta: {"a":1}\n\nid: 2\ndata: {"b":')).toEqual(['{"a":1}']);
  expect(read('2}\r\n\r\n')).toEqual(['{"b":2}']);
});

describe('a target', () => {
  it.each([
    ['https://a.example/mcp', { kind: 'url', url: 'https://a.example/mcp' }],
    ['node "my server.js" --x=\'a b\' ""', { kind: 'command', command: 'node', args: ['my server.js', '--x=a b', ''] }],
    ['FOO=1 B_2="a b" node x=1', { kind: 'command', command: 'node', args: ['x=1'], env: { FOO: '1', B_2: 'a b' } }],
    ['FOO=1', undefined],
    ['  ', undefined],
    ['https://', undefined],
  ])('in %j is read', (text, target) => {
    expect(targetIn(text)).toEqual(target);
  });

  it.each([
    ['node', 'a b', ''],
    ['a"b', "it's"],
    ['"', "'\"'"],
  ])('is written as a line that is read again: %j', (...words) => {
    expect(wordsIn(lineOf(words))).toEqual(words);
  });

  it('reads nothing else of a shell', () => {
    expect(wordsIn('a $(b) | c; d > e')).toEqual(['a', '$(b)', '|', 'c;', 'd', '>', 'e']);
  });

  it('has headers and variables line by line, and names a line without a name', () => {
    expect(pairsIn('A: b: c\n\nD:', ':')).toEqual({ values: { A: 'b: c', D: '' } });
    expect(pairsIn('A=1\nnothing', '=').problem).toContain('Line 2');
  });
});

describe('Markdown', () => {
  it('has headings, lists, code, quotes, tables and rules', () => {
    const text =
      '# A\n\n- a\n- b\n\n1. c\n\n```js\n# no\n```\n> q\n\n| x | y |\n|---|---|\n| 1 | 2 |\n\n---\nend\nof it';
    expect(isMarkdown(text)).toBe(true);
    expect(readMarkdown(text).map(({ kind }) => kind)).toEqual([
      'heading',
      'list',
      'list',
      'code',
      'quote',
      'table',
      'rule',
      'paragraph',
    ]);
  });

  it('makes only web addresses links', () => {
    const spans = readSpans('[a](https://a.example) [b](javascript:alert(1)) [c](data:text/html,x) `d` **e**');
    expect(spans.filter(({ kind }) => kind === 'link')).toEqual([
      { kind: 'link', text: 'a', url: 'https://a.example' },
    ]);
    expect(spans.map(({ text }) => text).join('')).toContain('javascript:alert(1)');
    expect(readSpans('[[a](https://a.example)').map(({ text }) => text)).toEqual(['[', 'a']);
  });

  // So long that a time which grows with the square of the length is over the limit, and no busy machine is.
  it.each(longTexts.map((text) => [text.slice(0, 8), text.repeat(4)]))(
    'is read in a time that grows with its length: %j',
    (_, text) => {
      expect(typeof isMarkdown(text)).toBe('boolean');
      expect(readMarkdown(text)).toBeInstanceOf(Array);
    },
    60_000,
  );

  it('leaves plain texts alone', () => {
    expect(['It is sunny in Oslo', '2 * 3 * 4', 'a - b', '{"a":1}'].filter(isMarkdown)).toEqual([]);
  });
});

it.each(['{"a": [1, -2.5e3, true, null, "x\\"y"]}', 'no JSON at all', '{"a": "open', '--5tf"'])(
  'the tokens of %j are its text',
  (text) => {
    expect(
      jsonTokens(text)
        .map((token) => token.text)
        .join(''),
    ).toBe(text);
  },
);

it('a list of flat objects is a table, also inside one object', () => {
  const rows = [{ a: 1 }, { a: 2, b: null }];
  expect(tableIn(rows)?.columns).toEqual(['a', 'b']);
  expect(tableIn({ rows, total: 2 })?.name).toBe('rows');
  expect([tableIn([1, 2]), tableIn([{ a: {} }]), tableIn({ x: rows, y: rows }), tableIn([])]).toEqual(
    Array(4).fill(undefined),
  );
});

it('a difference keeps the lines that are the same', () => {
  const shown = diffLines(['a', 'b', 'c'], ['a', 'x', 'c', 'd']).map(({ side, text }) => `${side} ${text}`);
  expect(shown).toEqual(['both a', 'before b', 'after x', 'both c', 'after d']);
});

describe('a call is copied', () => {
  const call: RunRequest = { kind: 'tool', name: 'weather', arguments: { city: "Hell's Kitchen", days: 3 } };
  const texts = (of: ClientInfo, request: RunRequest = call) =>
    Object.fromEntries(copiesOf(of, request).map(({ title, text }) => [title, text]));

  it('as command, curl, code and configuration of a URL, with placeholders for secrets [S32]', () => {
    const target = { kind: 'url' as const, url: 'https://a.example/mcp', headers: { authorization: '‹hidden›' } };
    const copied = texts({ ...client('c1', newest), target, auth: [] });
    expect(copied['tenon command']).toBe(
      `npx tenon call https://a.example/mcp weather 'city=Hell'\\''s Kitchen' days:=3 -H "authorization: $AUTHORIZATION"`,
    );
    expect(copied.curl).toContain('-H "authorization: $AUTHORIZATION"');
    expect(copied.curl).toContain("-H 'mcp-method: tools/call'");
    expect(copied.code).toContain(
      `connect({ url: "https://a.example/mcp", headers: { "authorization": process.env["AUTHORIZATION"] ?? '' } })`,
    );
    expect(copied.code).toContain(`client.tools.call("weather", {"city":"Hell's Kitchen","days":3})`);
    expect(JSON.parse(copied['client configuration'] ?? '')).toMatchObject({
      mcpServers: { demo: { url: 'https://a.example/mcp', headers: { authorization: '${AUTHORIZATION}' } } },
    });
    expect(Object.values(copied).join('')).not.toContain('‹hidden›');
  });

  it('without secrets in its arguments, its URI and the query of the URL [S36]', () => {
    const planted = [
      'p1anted-one',
      'p1anted-two',
      'p1anted-three',
      `sk-ant-api03-${'p1anted4'.repeat(6)}`,
      'p1anted-five',
    ];
    const [one, two, three, four, five] = planted;
    const target = { kind: 'url' as const, url: `https://a.example/mcp?api_key=${one}&page=2` };
    const args = { password: two, nested: { accessToken: three, city: 'Bern' }, note: `use ${four}` };
    const chosen = { ...client('c1', newest), target, auth: [] };
    const requests: RunRequest[] = [
      { kind: 'tool', name: 'weather', arguments: args },
      { kind: 'prompt', name: 'plan', arguments: args as never },
      { kind: 'request', method: 'x/y', params: args },
      { kind: 'resource', uri: `note://a?token=${five}&sort=name` },
    ];
    const copied = requests.map((request) => Object.values(texts(chosen, request)).join('\n')).join('\n');
    for (const secret of planted) expect(copied).not.toContain(secret);
    for (const plain of ['page=2', 'Bern', 'sort=name', '[masked]']) expect(copied).toContain(plain);
    const started = { kind: 'command' as const, command: 'node', args: [`--api-key=${one}`, 'a.js'] };
    expect(Object.values(texts({ ...client('c1', newest), target: started })).join('\n')).not.toContain(one);
  });

  it('with the session of an older protocol version, and a command last', () => {
    expect(texts(client('c1', oldest)).curl).toContain('mcp-session-id: $MCP_SESSION_ID');
    const target = { kind: 'command' as const, command: 'node', args: ['a b.js'], env: { KEY: '‹hidden›' } };
    const chosen = { ...client('c1', oldest), target, options: { protocolVersion: oldest } };
    const copied = texts(chosen, { kind: 'resource', uri: 'note://a' });
    expect(copied['tenon command']).toBe(
      `npx tenon read note://a --protocol-version ${oldest} -e "KEY=$KEY" -- node 'a b.js'`,
    );
    expect(copied.curl).toBeUndefined();
  });

  it('with the folder of a command and its variables', () => {
    const target = { kind: 'command' as const, command: 'node', args: ['a.js'], env: { A: 'b' }, cwd: '/home/ada' };
    const copied = texts({ ...client('c1', newest), target });
    expect(copied.code).toContain('connect({ command: "node", args: ["a.js"], env: { "A": "b" }, cwd: "/home/ada" })');
    expect(JSON.parse(copied['client configuration'] ?? '')).toMatchObject({
      mcpServers: { demo: { env: { A: 'b' }, cwd: '/home/ada' } },
    });
  });

  it.each([
    '$(touch ran)',
    '`touch ran`',
    '$(touch ran)$HOME',
    '"; touch ran; "$HOME',
    "'; touch ran; '",
    'a\n touch ran\n',
    'a & touch ran',
    '\u001b[31m\u0003\u007f\u009b',
    '!!',
    '~',
  ])('with %j as one word that a shell does not read', (name) => {
    const folder = mkdtempSync(join(tmpdir(), 'tenon-copies-'));
    onTestFinished(() => rmSync(folder, { recursive: true }));
    const target = { kind: 'url' as const, url: 'https://a.example/mcp', headers: { authorization: '‹hidden›' } };
    const copied = texts({ ...client('c1', newest), target }, { kind: 'tool', name, arguments: { city: name } });
    // Both programs print their words, each ended by a NUL.
    const printed = ['tenon command', 'curl'].map((title) => {
      const script = `npx() { printf '%s\\0' "$@"; }; curl() { npx "$@"; }\n${copied[title]}`;
      const env = { LC_ALL: 'C.UTF-8', AUTHORIZATION: 'secret' };
      return execFileSync('bash', ['--norc', '-c', script], { cwd: folder, env }).toString().split('\0');
    });
    expect(readdirSync(folder)).toEqual([]);
    expect(printed[0]).toEqual(expect.arrayContaining([name, `city=${name}`, 'authorization: secret']));
    expect(printed[1]).toContain(`mcp-name: ${name}`);
    expect(`${copied['tenon command']}`).not.toMatch(/\p{Cc}/u);
  });

  it('without a command if its name would be read as an option', () => {
    const named = (name: string) => Object.keys(texts(client('c1', newest), { kind: 'tool', name, arguments: {} }));
    expect(named('--config=/x')).not.toContain('tenon command');
    expect(named('weather')).toContain('tenon command');
  });
});
