import { describe, expect, test } from 'vitest';
import { createPolicy, type Policy } from '../../../src/guard/index.ts';

const policyOf = (...rules: readonly string[]): Policy =>
  createPolicy(`version: 1\nrules:\n${rules.map((rule) => `  - ${rule}`).join('\n')}`);

const readAll = '{id: all, allow: [read], to: any, on: {resource: "**"}}';

/** What a policy decides that allows all URIs but those of one pattern. */
const without = (pattern: string, uri: string): string =>
  policyOf(readAll, `{id: secret, deny: [read], to: any, on: {resource: "${pattern}"}}`).evaluate({
    action: 'read',
    target: { resource: uri },
  }).effect;

describe('a denied URI cannot be read by another spelling [S23]', () => {
  test.each([
    ['https://example.com/secret', 'https://example.com:443/secret'],
    ['https://example.com/secret', 'https://example.com:/secret'],
    ['https://example.com/secret', 'https://EXAMPLE.com/secret'],
    ['https://example.com/secret', 'HTTPS://example.com/secret'],
    ['https://example.com/secret', 'https://example.com./secret'],
    ['https://example.com/secret', 'https://user@example.com/secret'],
    ['https://example.com/secret', 'https://user:pass@example.com/secret'],
    ['https://example.com/secret', 'https://ex%61mple.com/secret'],
    ['https://example.com/secret', 'https:example.com/secret'],
    ['https://example.com/secret', 'https:/example.com/secret'],
    ['https://example.com/secret', 'https:///example.com/secret'],
    ['https://example.com/secret', 'https://example.com/secret?x'],
    ['https://example.com/secret', 'https://example.com/secret#x'],
    ['https://example.com/secret', 'https://example.com/secret?x#y'],
    ['https://example.com/', 'https://example.com'],
    ['https://example.com/', 'https://example.com?x'],
    ['https://xn--exmple-cua.com/secret', 'https://exämple.com/secret'],
    ['http://127.0.0.1/secret', 'http://127.1/secret'],
    ['http://127.0.0.1/secret', 'http://2130706433/secret'],
    ['http://127.0.0.1/secret', 'http://0x7f.0.0.1/secret'],
    ['http://127.0.0.1/secret', 'http://0177.0.0.1/secret'],
    ['http://[::1]/secret', 'http://[0:0:0:0:0:0:0:1]/secret'],
    ['ws://example.com/secret', 'ws://example.com:80/secret'],
    ['notes://host/secret', 'notes://host:/secret'],
    ['notes://host/secret', 'notes://@host/secret'],
    ['notes://host/secret', 'notes://:@host/secret'],
    ['notes://host:80/secret', 'notes://host:080/secret'],
    ['notes://[::1]/secret', 'notes://[0:0:0:0:0:0:0:1]/secret'],
    ['file:///secret', 'file://localhost/secret'],
    ['file:///secret', 'file:/secret'],
    ['file:///secret', 'file:secret'],
    ['file:///secret', 'file:////secret'],
    ['file:///a/secret', 'file:///a/b/../secret'],
    ['file:///a/secret', 'file:///a/b/%2E%2E/secret'],
    ['file:///a/secret', 'file:///a/b%2F..%2Fsecret'],
    ['file:///a/secret', 'file:///a/b%5C..%5Csecret'],
    ['file:///a/secret', 'file:///a%5Csecret'],
    ['file:///a/secret', 'file:///a%252Fsecret'],
    ['file:///a/secret', 'file:///a/%2573ecret'],
    ['file:///a/secret', 'file:///a/secre%C0%B4'],
    ['file:///a/secret', 'file:///a/secret%E2%80%8B'],
    ['file:///a/secret', 'file:///a/secret%0A'],
    ['file:///a/secret', 'file:///a/secret%7F'],
    ['file:///a/secret', 'file:///a/sec\u202eret'],
    ['file:///a/secret', 'file:///a/secret?'],
    ['file:///a/secret!', 'file:///a/secret%21'],
    ['file:///a/secret%21', 'file:///a/secret!'],
    ['file:///a/my%20secret', 'file:///a/my secret'],
    ['file:///a/my%20secret', 'file:///a/my%20secret?x'],
    ['file:///a/café', 'file:///a/caf%C3%A9'],
    ['file:///a/caf%C3%A9', 'file:///a/café'],
    ['file:///a/café', 'file:///a/cafe%CC%81'],
    ['file:///a/café', 'file:///a/cafe\u0301'],
    ['file:///a/*/c', 'file:///a/b/c?d'],
    ['file:///**/secret', 'file:///a/b/secret#'],
  ])('%s as %s', (pattern, uri) => {
    const canonical = without(pattern, pattern.replace(/\*+/g, 'x'));
    expect([canonical, without(pattern, uri)]).toEqual(['deny', 'deny']);
  });

  test.each([
    ['a query', 'https://example.com/a?b=c&d=/e'],
    ['a fragment', 'https://example.com/a#b'],
    ['a port', 'https://example.com:8443/a'],
    ['a punycode host', 'https://xn--exmple-cua.com/a'],
    ['an IPv6 host', 'http://[::1]:8080/a'],
    ['an escaped space', 'file:///a/b%20c'],
    ['an escaped percent sign', 'file:///a/100%25'],
    ['a slash at its end', 'file:///a/'],
    ['letters of other scripts', 'note://заметка/日本'],
    ['no path', 'urn:isbn:0451450523'],
    ['an upper-case name', 'note://Inbox/A'],
  ])('a URI with %s is canonical', (_name, uri) => expect(without('x:/none', uri)).toBe('allow'));

  test('an allowed URI allows no other reading of it', () => {
    const policy = policyOf('{id: a, allow: [read], to: any, on: {resource: ["file:///a/*", "db://t?limit=*"]}}');
    const read = (resource: string) => policy.evaluate({ action: 'read', target: { resource } }).effect;
    expect(['file:///a/b', 'file:///a/b%20c', 'db://t?limit=5'].map(read)).toEqual(['allow', 'allow', 'allow']);
    expect(['file:///a/b%2Fc', 'file:///a/?b/c', 'file:///a/b/c', 'db://t', 'db://t?limit=5&all=/'].map(read)).toEqual(
      Array(5).fill('deny'),
    );
  });

  test('an encoded * in a pattern is no wildcard', () => {
    const policy = policyOf('{id: a, allow: [read], to: any, on: {resource: "x:/a%2A"}}');
    const read = (resource: string) => policy.evaluate({ action: 'read', target: { resource } }).effect;
    expect([read('x:/a%2A'), read('x:/ab'), read('x:/a%20b')]).toEqual(['allow', 'deny', 'deny']);
  });

  test.each(['https://*.example.com/**', 'https://example.com:*/x', '**', '**/secret', 'note://*', 'x:/a?b=*'])(
    'the pattern %s is accepted',
    (pattern) => expect(() => without(pattern, 'x:/a')).not.toThrow(),
  );

  test.each([
    ['https://example.com:443/**', 'default port'],
    ['https://example.com', 'has no / after its host'],
    ['https://Example.com/**', 'lower case'],
    ['file://localhost/**', 'usual spelling'],
    ['**/../secret', 'segment . or ..'],
    ['file:///a/%7Eb', 'needs no escape'],
    ['file:///a/%2', 'two upper-case'],
    ['a\u200bb:/x', 'invisible character'],
  ])('the pattern %s would match nothing, and is refused', (pattern, words) =>
    expect(() => without(pattern, 'x:/a')).toThrow(words),
  );
});

describe('names are compared as they are registered [S23]', () => {
  const call = (pattern: string, tool: string) =>
    policyOf(`{id: a, allow: [call], to: any, on: {tool: "${pattern}"}}`).evaluate({ action: 'call', target: { tool } })
      .effect;

  test.each([
    ['admin/*', 'admin/users/delete', 'allow'],
    ['admin/*', 'admin', 'deny'],
    ['*', '', 'allow'],
    ['**', 'a/b', 'allow'],
    ['a*', 'A', 'deny'],
    ['straße', 'STRASSE', 'deny'],
    ['ﬁle', 'file', 'deny'],
    ['a.c', 'abc', 'deny'],
    ['[a-z]', 'b', 'deny'],
    ['a?', 'ab', 'deny'],
    ['a+', 'aa', 'deny'],
    ['日本*', '日本語', 'allow'],
    ['*😀', 'a😀', 'allow'],
  ])('the pattern %s and the tool %s', (pattern, tool, effect) => expect(call(pattern, tool)).toBe(effect));

  test.each([
    ['an invisible character', 'de\u200bploy'],
    ['a direction mark', 'deploy\u202e'],
    ['a control character', 'deploy\\u0007'],
    ['a byte order mark', 'deploy\\ufeff'],
    ['a letter that is not composed', 'cafe\u0301'],
  ])('a pattern with %s is refused', (_name, pattern) => expect(() => call(pattern, 'x')).toThrow('tool'));

  test('a name that is too long is denied, and neither compared nor remembered', () => {
    const policy = policyOf('{id: all, allow: [call, read], to: any, on: any}');
    const tool = 'a'.repeat(4097);
    const decision = policy.decide({ action: 'call', target: { tool } });
    expect(decision).toMatchObject({ effect: 'deny', reason: 'name-too-long' });
    const explained = policy.explain(decision.decisionId);
    expect(explained).toMatchObject({ request: { target: {} } });
    expect(explained?.text).toContain('more than 4096 characters');
    expect(policy.evaluate({ action: 'read', target: { resource: `x:/${tool}` } }).reason).toBe('name-too-long');
    expect(policy.evaluate({ action: 'call', target: { tool: 'a'.repeat(4096) } }).effect).toBe('allow');
  });
});
