/** Headers that repeat parts of a request: each encoding of a value, and whether it matches the body. */
import { describe, expect, it } from 'vitest';
import { lone, loneCall } from '../../../kit/http/messages.ts';
import { type Headers, type Json, send } from '../../../kit/http/raw-http.ts';
import { serve } from '../../../kit/http/sample-server.ts';

const base64 = (text: string): string => `=?base64?${Buffer.from(text).toString('base64')}?=`;

type Row = readonly [name: string, args: Json, headers: Headers, matches: boolean];

const rows: readonly Row[] = [
  ['no header for a missing value', {}, {}, true],
  ['no header for null', { tenant: null }, {}, true],
  ['a header for a missing value', {}, { 'mcp-param-tenant': 'blue' }, false],
  ['a header for null', { tenant: null }, { 'mcp-param-tenant': 'blue' }, false],
  ['an empty header for a missing value', {}, { 'mcp-param-tenant': '' }, false],
  ['illegal characters for a missing value', {}, { 'mcp-param-tenant': 'Z\u00fc' }, false],
  ['a header for a missing nested value', {}, { 'mcp-param-dry-run': 'true' }, false],
  ['no header for a given string', { tenant: 'blue' }, {}, false],
  ['a string as it is', { tenant: 'blue' }, { 'mcp-param-tenant': 'blue' }, true],
  ['a string, with the header name in another case', { tenant: 'blue' }, { 'MCP-PARAM-TENANT': 'blue' }, true],
  ['a string in another case', { tenant: 'blue' }, { 'mcp-param-tenant': 'Blue' }, false],
  ['a string with space around it in the header', { tenant: 'blue' }, { 'mcp-param-tenant': '  blue ' }, true],
  ['a string with leading and trailing space, plain', { tenant: ' blue ' }, { 'mcp-param-tenant': ' blue ' }, false],
  [
    'a string with leading and trailing space, in Base64',
    { tenant: ' blue ' },
    { 'mcp-param-tenant': base64(' blue ') },
    true,
  ],
  ['another string in Base64', { tenant: 'blue' }, { 'mcp-param-tenant': base64('green') }, false],
  ['an ASCII string in Base64', { tenant: 'blue' }, { 'mcp-param-tenant': base64('blue') }, true],
  ['a string beyond ASCII in Base64', { tenant: 'Zürich 🎉' }, { 'mcp-param-tenant': base64('Zürich 🎉') }, true],
  [
    'a string that begins with a byte order mark',
    { tenant: '\ufeffx' },
    { 'mcp-param-tenant': base64('\ufeffx') },
    true,
  ],
  ['a string without its byte order mark', { tenant: 'x' }, { 'mcp-param-tenant': base64('\ufeffx') }, false],
  ['a string with illegal characters', { tenant: 'Z\u00fc' }, { 'mcp-param-tenant': 'Z\u00fc' }, false],
  ['an empty string', { tenant: '' }, { 'mcp-param-tenant': '' }, true],
  ['an empty string in Base64', { tenant: '' }, { 'mcp-param-tenant': '=?base64??=' }, true],
  ['Base64 without its padding', { tenant: 'a' }, { 'mcp-param-tenant': '=?base64?YQ?=' }, false],
  ['Base64 with unused bits that are set', { tenant: 'a' }, { 'mcp-param-tenant': '=?base64?YR==?=' }, false],
  ['Base64 for URLs', { tenant: '???' }, { 'mcp-param-tenant': '=?base64?Pz8_?=' }, false],
  ['Base64 that contains a space', { tenant: 'blue' }, { 'mcp-param-tenant': '=?base64?Ymx 1ZQ==?=' }, false],
  ['Base64 of bytes that are not UTF-8', { tenant: '\ufffd' }, { 'mcp-param-tenant': '=?base64?/w==?=' }, false],
  ['markers in capitals', { tenant: 'a' }, { 'mcp-param-tenant': '=?BASE64?YQ==?=' }, false],
  [
    'a string that looks like encoded Base64, plain',
    { tenant: base64('a') },
    { 'mcp-param-tenant': base64('a') },
    false,
  ],
  [
    'a string that looks like encoded Base64, in Base64',
    { tenant: base64('a') },
    { 'mcp-param-tenant': base64(base64('a')) },
    true,
  ],
  ['a number in digits', { size: 42 }, { 'mcp-param-size': '42' }, true],
  ['a number with a zero fraction', { size: 42 }, { 'mcp-param-size': '42.0' }, true],
  ['another number', { size: 42 }, { 'mcp-param-size': '43' }, false],
  ['a negative number', { size: -1 }, { 'mcp-param-size': '-1' }, true],
  ['a number in another base', { size: 42 }, { 'mcp-param-size': '0x2a' }, false],
  ['a number with an exponent', { size: 420 }, { 'mcp-param-size': '42e1' }, false],
  ['an empty header for zero', { size: 0 }, { 'mcp-param-size': '' }, false],
  ['a number beyond the safe integers', { size: 2 ** 53 }, { 'mcp-param-size': '9007199254740993' }, false],
  ['the largest safe integer', { size: 2 ** 53 - 1 }, { 'mcp-param-size': '9007199254740991' }, true],
  ['a nested true', { options: { dry: true } }, { 'mcp-param-dry-run': 'true' }, true],
  ['true in capitals', { options: { dry: true } }, { 'mcp-param-dry-run': 'True' }, false],
  ['false for true', { options: { dry: true } }, { 'mcp-param-dry-run': 'false' }, false],
  ['a header that no parameter uses', {}, { 'mcp-param-unknown': '\u00fc' }, true],
];

describe('a call that repeats its parameters in headers', () => {
  it('is served if they match its body, else gets 400 and -32020, as listed in the table [e-http-47, e-http-60, e-http-65, e-http-66, e-http-67, e-http-70, e-http-71, e-http-72, e-http-73, e-http-74, e-http-75, e-http-76, e-http-77]', async () => {
    const { url } = await serve();
    const wrong: unknown[] = [];
    for (const [name, args, headers, matches] of rows) {
      const right = loneCall('headed', args);
      const { status, json } = await send(url, { ...right, headers: { ...right.headers, ...headers } });
      const code = (json.error as { code?: number } | undefined)?.code;
      const isRight = matches ? status === 200 && code === undefined : status === 400 && code === -32020;
      if (!isRight) wrong.push([name, status, code]);
    }
    expect(wrong).toEqual([]);
  });

  it.each([
    ['resources/read', { uri: 'note://one' }],
    ['prompts/get', { name: 'plan' }],
  ])('names the target of %s in mcp-name, plain or in Base64 [e-http-60, e-http-77]', async (method, params) => {
    const { url } = await serve();
    const { headers, body } = lone(method, params);
    const name = String(Object.values(params)[0]);
    for (const [header, status] of [
      [name, 200],
      [base64(name), 200],
      [`${name}x`, 400],
      [undefined, 400],
    ] as const)
      expect((await send(url, { headers: { ...headers, 'mcp-name': header }, body })).status).toBe(status);
  });
});
