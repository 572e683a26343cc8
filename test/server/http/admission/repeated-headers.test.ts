/** Headers that repeat parts of a request: each way of writing one, and whether it agrees with the body. */
import { describe, expect, it } from 'vitest';
import { lone, loneCall } from '../../../kit/http/messages.ts';
import { type Headers, type Json, send } from '../../../kit/http/raw-http.ts';
import { serve } from '../../../kit/http/sample-server.ts';

const base64 = (text: string): string => `=?base64?${Buffer.from(text).toString('base64')}?=`;

type Row = readonly [what: string, args: Json, headers: Headers, agrees: boolean];

const rows: readonly Row[] = [
  ['nothing where nothing is given', {}, {}, true],
  ['nothing for a null', { tenant: null }, {}, true],
  ['something where nothing is given', {}, { 'mcp-param-tenant': 'blue' }, false],
  ['something for a null', { tenant: null }, { 'mcp-param-tenant': 'blue' }, false],
  ['an empty text where nothing is given', {}, { 'mcp-param-tenant': '' }, false],
  ['illegal characters where nothing is given', {}, { 'mcp-param-tenant': 'Z\u00fc' }, false],
  ['something where nothing is given, further inside', {}, { 'mcp-param-dry-run': 'true' }, false],
  ['nothing for a text that is given', { tenant: 'blue' }, {}, false],
  ['a text as it is', { tenant: 'blue' }, { 'mcp-param-tenant': 'blue' }, true],
  ['a text under a name in another case', { tenant: 'blue' }, { 'MCP-PARAM-TENANT': 'blue' }, true],
  ['a text in another case', { tenant: 'blue' }, { 'mcp-param-tenant': 'Blue' }, false],
  ['a text with space around it', { tenant: 'blue' }, { 'mcp-param-tenant': '  blue ' }, true],
  ['a text that has space around itself', { tenant: ' blue ' }, { 'mcp-param-tenant': ' blue ' }, false],
  ['such a text in Base64', { tenant: ' blue ' }, { 'mcp-param-tenant': base64(' blue ') }, true],
  ['another text in Base64', { tenant: 'blue' }, { 'mcp-param-tenant': base64('green') }, false],
  ['a plain text in Base64', { tenant: 'blue' }, { 'mcp-param-tenant': base64('blue') }, true],
  ['a text beyond ASCII in Base64', { tenant: 'Zürich 🎉' }, { 'mcp-param-tenant': base64('Zürich 🎉') }, true],
  ['a text that begins with a byte order mark', { tenant: '\ufeffx' }, { 'mcp-param-tenant': base64('\ufeffx') }, true],
  ['a text without its byte order mark', { tenant: 'x' }, { 'mcp-param-tenant': base64('\ufeffx') }, false],
  ['a text with illegal characters', { tenant: 'Z\u00fc' }, { 'mcp-param-tenant': 'Z\u00fc' }, false],
  ['an empty text', { tenant: '' }, { 'mcp-param-tenant': '' }, true],
  ['an empty text in Base64', { tenant: '' }, { 'mcp-param-tenant': '=?base64??=' }, true],
  ['Base64 without its padding', { tenant: 'a' }, { 'mcp-param-tenant': '=?base64?YQ?=' }, false],
  ['Base64 with bits that say nothing', { tenant: 'a' }, { 'mcp-param-tenant': '=?base64?YR==?=' }, false],
  ['Base64 for URLs', { tenant: '???' }, { 'mcp-param-tenant': '=?base64?Pz8_?=' }, false],
  ['Base64 with space in it', { tenant: 'blue' }, { 'mcp-param-tenant': '=?base64?Ymx 1ZQ==?=' }, false],
  ['Base64 of what is no UTF-8', { tenant: '\ufffd' }, { 'mcp-param-tenant': '=?base64?/w==?=' }, false],
  ['markers in capitals', { tenant: 'a' }, { 'mcp-param-tenant': '=?BASE64?YQ==?=' }, false],
  ['a text that looks like Base64, plain', { tenant: base64('a') }, { 'mcp-param-tenant': base64('a') }, false],
  ['a text that looks like Base64, in it', { tenant: base64('a') }, { 'mcp-param-tenant': base64(base64('a')) }, true],
  ['a number in digits', { size: 42 }, { 'mcp-param-size': '42' }, true],
  ['a number with a fraction of nothing', { size: 42 }, { 'mcp-param-size': '42.0' }, true],
  ['another number', { size: 42 }, { 'mcp-param-size': '43' }, false],
  ['a number below zero', { size: -1 }, { 'mcp-param-size': '-1' }, true],
  ['a number in another base', { size: 42 }, { 'mcp-param-size': '0x2a' }, false],
  ['a number with an exponent', { size: 420 }, { 'mcp-param-size': '42e1' }, false],
  ['no digits for zero', { size: 0 }, { 'mcp-param-size': '' }, false],
  ['a number that is too large to be told', { size: 2 ** 53 }, { 'mcp-param-size': '9007199254740993' }, false],
  ['the largest number', { size: 2 ** 53 - 1 }, { 'mcp-param-size': '9007199254740991' }, true],
  ['true, further inside', { options: { dry: true } }, { 'mcp-param-dry-run': 'true' }, true],
  ['true in capitals', { options: { dry: true } }, { 'mcp-param-dry-run': 'True' }, false],
  ['false for true', { options: { dry: true } }, { 'mcp-param-dry-run': 'false' }, false],
  ['a header that nothing asks for', {}, { 'mcp-param-unknown': '\u00fc' }, true],
];

describe('a call that repeats its parameters in headers', () => {
  it('agrees with its body, or is refused with 400 and -32020, as the table says [e-http-47, e-http-60, e-http-65, e-http-66, e-http-67, e-http-70, e-http-71, e-http-72, e-http-73, e-http-74, e-http-75, e-http-76, e-http-77]', async () => {
    const { url } = await serve();
    const wrong: unknown[] = [];
    for (const [what, args, headers, agrees] of rows) {
      const right = loneCall('headed', args);
      const { status, json } = await send(url, { ...right, headers: { ...right.headers, ...headers } });
      const code = (json.error as { code?: number } | undefined)?.code;
      const isRight = agrees ? status === 200 && code === undefined : status === 400 && code === -32020;
      if (!isRight) wrong.push([what, status, code]);
    }
    expect(wrong).toEqual([]);
  });

  it.each([
    ['resources/read', { uri: 'note://one' }],
    ['prompts/get', { name: 'plan' }],
  ])('names what %s is about, plain or in Base64 [e-http-60, e-http-77]', async (method, params) => {
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
