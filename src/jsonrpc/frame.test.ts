import { afterEach, describe, expect, test, vi } from 'vitest';
import { escapeControls } from '../lib/text/control-characters.ts';
import { type Frame, type InvalidFrame, readFrame, readMessage, writeFrame } from './frame.ts';
import { defaultLimits } from './limits.ts';
import type { Message } from './message.ts';

afterEach(() => vi.restoreAllMocks());

const limits = { ...defaultLimits, maxMessageChars: 200, maxDepth: 4, maxBatch: 3 };
const request = (params: string, more = ''): string =>
  `{"jsonrpc":"2.0","id":1,"method":"m","params":${params}${more}}`;

function invalidFrame(frame: Frame): InvalidFrame {
  if (frame.kind !== 'invalid') throw new Error(`expected an invalid frame, found a ${frame.kind}`);
  return frame;
}

describe('reading', () => {
  test('the text is parsed once', () => {
    const parse = vi.spyOn(JSON, 'parse');
    expect(readFrame(request('{"a":[1,{"b":2}]}')).kind).toBe('request');
    expect(parse).toHaveBeenCalledTimes(1);
    readFrame(`[${request('{}')},${request('{}')}]`);
    expect(parse).toHaveBeenCalledTimes(2);
  });

  test('a frame may be as long as the limit and not one character longer', () => {
    const text = request(`{"a":"${'x'.repeat(limits.maxMessageChars - request('{"a":""}').length)}"}`);
    expect(text).toHaveLength(limits.maxMessageChars);
    expect(readFrame(text, { limits }).kind).toBe('request');
    expect(invalidFrame(readFrame(`${text} `, { limits })).error).toMatchObject({
      code: 'message-too-large',
      hint: expect.stringContaining('limits.maxMessageChars'),
    });
  });

  test.each(['y', 'Listening on port 3000', 'trouble', 'nullify', 'fine', '<html>', '\ufeff{}', "{'a':1}", '123abc'])(
    'noise such as %s is not JSON, and its error has no stack to pay for',
    (text) => {
      const { error, reply } = invalidFrame(readFrame(text));
      expect([error.code, reply?.error.code]).toEqual(['invalid-json', -32700]);
      expect(error.stack).not.toContain('\n    at ');
      expect(new Error('after').stack).toContain('\n    at ');
    },
  );

  test.each(['true', ' false\r', 'null \t', '"text"', '-1', '0', '1e5', ' {}', '\t[]'])(
    'JSON such as %j is no message, and is distinguished from noise',
    (text) => expect(invalidFrame(readFrame(text)).error.code).toBe('invalid-message'),
  );

  test('a frame over the limit is not parsed', () => {
    const parse = vi.spyOn(JSON, 'parse');
    readFrame('x'.repeat(limits.maxMessageChars + 1), { limits });
    expect(parse).not.toHaveBeenCalled();
  });

  test.each([
    ['params', 'request', (inner: string) => `{"jsonrpc":"2.0","id":1,"method":"m","params":${inner}}`],
    ['params', 'notification', (inner: string) => `{"jsonrpc":"2.0","method":"m","params":${inner}}`],
    ['result', 'result', (inner: string) => `{"jsonrpc":"2.0","id":1,"result":${inner}}`],
    ['an unknown field', 'request', (inner: string) => `{"jsonrpc":"2.0","id":1,"method":"m","more":${inner}}`],
  ])('%s of a %s may be as deep as the limit and not one level deeper', (_, kind, text) => {
    expect(readFrame(text('[[[[]]]]'), { limits }).kind).toBe(kind);
    expect(invalidFrame(readFrame(text('[[[[[]]]]]'), { limits })).error.code).toBe('nesting-too-deep');
    expect(readFrame(text('{"a":{"a":{"a":{}}}}'), { limits }).kind).toBe(kind);
    expect(invalidFrame(readFrame(text('{"a":{"a":{"a":{"a":{}}}}}'), { limits })).error.code).toBe('nesting-too-deep');
  });

  test('the error of an answer counts as a level of its own', () => {
    const text = (data: string): string => `{"jsonrpc":"2.0","id":1,"error":{"code":1,"message":"m","data":${data}}}`;
    expect(readFrame(text('[[[]]]'), { limits }).kind).toBe('error');
    expect(invalidFrame(readFrame(text('[[[[]]]]'), { limits })).error.code).toBe('nesting-too-deep');
  });

  test.each([
    ['params', (inner: string) => request(inner)],
    ['an id', (inner: string) => `{"jsonrpc":"2.0","id":${inner},"method":"m"}`],
    ['the frame itself', (inner: string) => inner],
    ['text that never closes', (inner: string) => inner.slice(0, inner.length / 2)],
  ])('a million levels in %s do no harm', (_, text) => {
    const inner = '['.repeat(1_000_000) + ']'.repeat(1_000_000);
    expect(text(inner).length).toBeLessThan(defaultLimits.maxMessageChars);
    const [first] = arrivalsOf(readFrame(text(inner), { strict: true }));
    expect(first).toMatchObject({ kind: 'invalid', error: { code: 'nesting-too-deep' } });
  });

  test.each([
    ['{"jsonrpc":"2.0","id":1,"method":"m","params":{"__proto__":{"polluted":1}}}', 'params.__proto__'],
    ['{"jsonrpc":"2.0","id":1,"method":"m","params":{"a":[{"b":{"__proto__":1}}]}}', 'params.a[0].b.__proto__'],
    ['{"jsonrpc":"2.0","id":1,"result":{"__proto__":{"polluted":1}}}', 'result.__proto__'],
    ['{"jsonrpc":"2.0","id":1,"error":{"code":1,"message":"m","data":{"__proto__":1}}}', 'error.data.__proto__'],
    ['{"jsonrpc":"2.0","id":1,"error":{"code":1,"message":"m","__proto__":{}}}', 'error.__proto__'],
    ['{"jsonrpc":"2.0","id":1,"method":"m","__proto__":{"polluted":1}}', '__proto__'],
    ['{"jsonrpc":"2.0","id":1,"method":"m","_meta":{"__proto__":{"polluted":1}}}', '_meta.__proto__'],
  ])('%s is refused, its place is named and no prototype is touched', (text, place) => {
    const { error } = invalidFrame(readFrame(text));
    expect(error.code).toBe('unsafe-key');
    expect(error.message.startsWith(`${place}: `)).toBe(true);
    expect(({} as Record<string, unknown>).polluted).toBeUndefined();
  });

  test('keys named constructor and prototype are data like any other', () => {
    const frame = readFrame(request('{"constructor":{"prototype":{"polluted":1}}}'));
    expect(frame).toMatchObject({ message: { params: { constructor: { prototype: { polluted: 1 } } } } });
    expect(({} as Record<string, unknown>).polluted).toBeUndefined();
  });

  test('the place in an error is cut where it is long', () => {
    const { error, reply } = invalidFrame(readFrame(request(`{"${'k'.repeat(10_000)}":{"__proto__":1}}`)));
    expect(error.message.length).toBeLessThan(200);
    expect(reply?.error.message.length).toBeLessThan(200);
  });

  test('of duplicate keys the last wins; in strict mode they are an error that names the place', () => {
    const text = request('{"a":1,"b":{"c":1,"\\u0063":2}}');
    expect(readFrame(text)).toMatchObject({ kind: 'request', message: { params: { b: { c: 2 } } } });
    const { error } = invalidFrame(readFrame(text, { strict: true }));
    expect(error.code).toBe('duplicate-key');
    expect(error.message).toContain('params.b.c');
  });

  test.each(['', ' ', 'hello', '{', '{"jsonrpc":"2.0",}', "{'a':1}", 'NaN', '\ufeff{}', '{}{}', '\u0000'])(
    '%j is no JSON, and the error shows it',
    (text) => {
      const { error, reply } = invalidFrame(readFrame(text));
      expect(error.code).toBe('invalid-json');
      expect(error.message).toContain(escapeControls(text));
      expect(reply).toMatchObject({ id: undefined, error: { code: -32700 } });
    },
  );
});

describe('_meta.authorization beside params', () => {
  const meta = '"_meta":{"authorization":"Bearer token123","other":1}';

  test.each([
    ['a request', `{"jsonrpc":"2.0","id":1,"method":"m",${meta}}`],
    ['a notification', `{"jsonrpc":"2.0","method":"m",${meta}}`],
  ])('of %s is removed from it, and stands beside it [S36]', (_, text) => {
    const frame = readFrame(text) as Extract<Frame, { kind: 'request' }>;
    expect(frame.authorization).toBe('Bearer token123');
    expect(frame.message).toMatchObject({ method: 'm', _meta: { other: 1 } });
    expect(JSON.stringify(frame.message)).not.toContain('token123');
  });

  test('of answers, and one that is no text, is removed [S36]', () => {
    const wrong = '"_meta":{"authorization":{"token":"token123"}}';
    for (const rest of [`"result":{},${meta}`, `"error":{"code":1,"message":"m"},${meta}`, `"method":"m",${wrong}`]) {
      const frame = readFrame(`{"jsonrpc":"2.0","id":1,${rest}}`);
      expect(frame.kind).not.toBe('invalid');
      expect(JSON.stringify(frame)).not.toContain('token123');
    }
  });

  test('of each message of a batch is its own', () => {
    const one = (token: string) => `{"jsonrpc":"2.0","method":"m","_meta":{"authorization":"${token}"}}`;
    expect(arrivalsOf(readFrame(`[${one('a')},{"jsonrpc":"2.0","method":"n"},${one('b')}]`))).toMatchObject([
      { authorization: 'a' },
      { kind: 'notification' },
      { authorization: 'b' },
    ]);
  });
});

/** Every kind of invalid frame, with a token in it. */
const withToken: readonly (readonly [what: string, text: string])[] = [
  ['no JSON', '{"jsonrpc":"2.0","id":1,"method":"m","_meta":{"authorization":"Bearer token123"}'],
  ['no JSON near the token', '{"_meta":{"authorization":"Bearer token123" "x"}}'],
  ['noise', 'authorization: Bearer token123'],
  ['no version', '{"id":1,"method":"m","_meta":{"authorization":"token123"}}'],
  ['no method', '{"jsonrpc":"2.0","id":1,"_meta":{"authorization":"token123"}}'],
  ['a doubled key', '{"jsonrpc":"2.0","id":1,"method":"m","authorization":"token123","authorization":"token123"}'],
  ['an unsafe key', '{"jsonrpc":"2.0","id":1,"method":"m","Bearer token123":{"__proto__":{}}}'],
  ['a deep value', `{"jsonrpc":"2.0","id":1,"method":"m","Bearer token123":${'['.repeat(200)}${']'.repeat(200)}}`],
  ['a batch that is too long', `[${Array(4).fill('{"_meta":{"authorization":"token123"}}').join(',')}]`],
];

test.each(withToken)('the error of a frame with %s has no token, and the reply quotes nothing [S36]', (_, text) => {
  const { error, reply } = invalidFrame(readFrame(text, { limits: { ...defaultLimits, maxBatch: 3 }, strict: true }));
  expect(`${error.message} ${error.stack} ${JSON.stringify(error.details)} ${error.cause}`).not.toContain('token123');
  expect(reply?.error.message).not.toMatch(/token|authorization|Bearer|_meta/);
});

function arrivalsOf(frame: Frame): readonly unknown[] {
  return frame.kind === 'batch' ? frame.arrivals : [frame];
}

describe('batches', () => {
  const ping = '{"jsonrpc":"2.0","id":1,"method":"ping"}';

  test('a batch may hold as many messages as the limit and not one more', () => {
    expect(readFrame(`[${ping},${ping},${ping}]`, { limits }).kind).toBe('batch');
    expect(invalidFrame(readFrame(`[${ping},${ping},${ping},${ping}]`, { limits })).error.code).toBe('batch-too-long');
  });

  test('an empty batch is invalid', () => {
    expect(invalidFrame(readFrame('[]'))).toMatchObject({
      error: { code: 'invalid-message' },
      reply: { id: undefined },
    });
  });

  test('one invalid message does not affect the others of its batch', () => {
    const frame = readFrame(`[${ping},7,[],{"jsonrpc":"2.0","method":"n"}]`);
    expect(arrivalsOf(frame)).toMatchObject([
      { kind: 'request' },
      { kind: 'invalid', reply: { id: undefined } },
      { kind: 'invalid', reply: { id: undefined } },
      { kind: 'notification' },
    ]);
  });
});

describe('an error shows the line it was found in', () => {
  const notice = '{"jsonrpc":"2.0","method":"n"}';
  test.each([
    ['no JSON', 'invalid-json', 'Listening on port 3000'],
    ['no message', 'invalid-message', '{"level":30}'],
    ['an empty batch', 'invalid-message', '[ ]'],
    ['a batch with no message in it', 'invalid-message', '[7]'],
    ['a batch that is too long', 'batch-too-long', `[${Array(4).fill(notice).join(',')}]`],
    ['a doubled key', 'duplicate-key', '{"jsonrpc":"2.0","method":"n","method":"n"}'],
  ])('%s', (_, code, line) => {
    const [invalid] = arrivalsOf(readFrame(line, { limits, strict: true })) as [InvalidFrame];
    expect(invalid.error).toMatchObject({ code, details: { line } });
    expect(invalid.error.message).toContain(line.slice(0, 80));
  });

  test.each([
    ['an entry of a log', '{"level":30}', true],
    ['a number', '7', true],
    ['a message of another version', '{"jsonrpc":"1.0","method":"n"}', undefined],
    ['a message without a method', '{"jsonrpc":"2.0"}', undefined],
    ['an empty batch', '[]', undefined],
  ])('and whether it claims to be a message at all: %s', (_, line, isForeign) => {
    expect(invalidFrame(readFrame(line)).error.details.isForeign).toBe(isForeign);
  });

  test('and no more of it than a beginning', () => {
    const { error, reply } = invalidFrame(readFrame('['.repeat(100_000)));
    expect(error.message.length).toBeLessThan(200);
    expect(reply?.error.message.length).toBeLessThan(200);
    expect(error.details.line).toHaveLength(200 + '… (100000 characters)'.length);
  });

  test('so that a place as long as a message is cut, too', () => {
    const key = 'k'.repeat(10_000);
    const { error } = invalidFrame(readFrame(request(`{"${key}":1,"${key}":2}`), { strict: true }));
    expect(error.message.length).toBeLessThan(400);
  });
});

describe('the reply to an invalid message', () => {
  test.each([
    ['a wrong version', '{"jsonrpc":"1.0","id":1,"method":"m"}', 1],
    ['no version', '{"id":"a","method":"m"}', 'a'],
    ['an id of zero', '{"id":0,"method":"m"}', 0],
    ['an empty id', '{"id":"","method":"m"}', ''],
    ['a method that is no text', '{"jsonrpc":"2.0","id":3,"method":5}', 3],
    ['params that are text', '{"jsonrpc":"2.0","id":3,"method":"m","params":"p"}', 3],
    ['a method and a result', '{"jsonrpc":"2.0","id":3,"method":"m","result":{}}', 3],
    ['a null id', '{"jsonrpc":"2.0","id":null,"method":"m"}', undefined],
    ['a fractional id', '{"jsonrpc":"2.0","id":1.5,"method":"m"}', undefined],
    ['an id beyond the safe integers', '{"jsonrpc":"2.0","id":9007199254740993,"method":"m"}', undefined],
    ['nothing in it', '{}', undefined],
    ['no object', '7', undefined],
    ['null', 'null', undefined],
    ['an unsafe key', '{"jsonrpc":"2.0","id":3,"method":"m","params":{"__proto__":1}}', 3],
  ])('a request with %s is replied to with -32600 and its id if it can be read', (_, text, id) => {
    expect(invalidFrame(readFrame(text)).reply).toEqual({ id, error: { code: -32600, message: expect.any(String) } });
  });

  test.each([
    ['a result of the wrong version', '{"jsonrpc":"1.0","id":1,"result":{}}'],
    ['a result with an error', '{"jsonrpc":"2.0","id":1,"result":{},"error":{"code":1,"message":"m"}}'],
    ['a result without an id', '{"jsonrpc":"2.0","result":{}}'],
    ['a result that is null and has no version', '{"id":1,"result":null}'],
    ['an error that is text', '{"jsonrpc":"2.0","id":1,"error":"failed"}'],
    ['an error that is null', '{"jsonrpc":"2.0","id":null,"error":null}'],
    ['an unsafe result', '{"jsonrpc":"2.0","id":1,"result":{"__proto__":1}}'],
  ])('%s is no reason to reply: it could go back and forth for ever', (_, text) => {
    const { error, reply } = invalidFrame(readFrame(text));
    expect(['invalid-message', 'unsafe-key']).toContain(error.code);
    expect(reply).toBeUndefined();
  });

  test.each([
    ['with params that are text', '{"jsonrpc":"2.0","method":"n","params":"p"}'],
    ['of the wrong version', '{"jsonrpc":"1.0","method":"n"}'],
    ['with an unsafe key', '{"jsonrpc":"2.0","method":"n","params":{"__proto__":1}}'],
  ])('an invalid notification %s is not replied to [e-base-30, s-base-14]', (_, text) => {
    expect(invalidFrame(readFrame(text)).reply).toBeUndefined();
  });
});

describe('writing', () => {
  const write = (message: unknown): string => writeFrame(message as Message);

  test('a lone surrogate leaves as an escape, in well-formed text, and comes back as it was', () => {
    const message: Message = { jsonrpc: '2.0', id: 'a\udc00', method: 'm\ud800', params: { '\ud83d': '😀\ud83d' } };
    const text = writeFrame(message);
    expect(new TextDecoder().decode(new TextEncoder().encode(text))).toBe(text);
    expect(text).toContain('\\ud800');
    expect(readFrame(text)).toEqual({ kind: 'request', message });
  });

  const known = { content: [{ type: 'text', text: '__proto__' }] };
  const answer: Message = { jsonrpc: '2.0', id: 'a', result: known };

  test('a result whose JSON is known is put in as it is', () => {
    expect(JSON.parse(writeFrame(answer, undefined, JSON.stringify(known)))).toEqual(answer);
  });

  test.each([
    ['deep', { ...defaultLimits, maxMessageChars: 1000, maxDepth: 2, maxBatch: 1 }],
    ['long', { ...defaultLimits, maxMessageChars: 20, maxDepth: 100, maxBatch: 1 }],
  ])('such a result does not leave either where it is too %s for the limits', (_, limits) => {
    expect(() => writeFrame(answer, limits, JSON.stringify(known))).toThrow(
      expect.objectContaining({ code: 'invalid-outgoing-message' }),
    );
  });

  test('what is written has no line break in it [e-stdio-01]', () => {
    const params = { 'a\nb': 'c\r\nd\u2028e' };
    const text = writeFrame({ jsonrpc: '2.0', method: 'n', params });
    expect(text).not.toMatch(/[\n\r]/);
    expect(readFrame(text)).toMatchObject({ message: { params } });
  });

  const cycle: Record<string, unknown> = {};
  cycle.self = cycle;
  const deep: unknown = JSON.parse('['.repeat(1_000_000) + ']'.repeat(1_000_000));

  test.each([
    ['a wrong version', { jsonrpc: '1.0', id: 1, method: 'm' }],
    ['a null id', { jsonrpc: '2.0', id: null, method: 'm' }],
    ['a fractional id', { jsonrpc: '2.0', id: 0.5, method: 'm' }],
    ['an id that is not a number', { jsonrpc: '2.0', id: Number.NaN, method: 'm' }],
    ['a bigint as id', { jsonrpc: '2.0', id: 1n, method: 'm' }],
    ['params that are text', { jsonrpc: '2.0', id: 1, method: 'm', params: 'p' }],
    ['params that are a function', { jsonrpc: '2.0', id: 1, method: 'm', params: () => {} }],
    ['a result that is undefined', { jsonrpc: '2.0', id: 1, result: undefined }],
    ['a result that is a function', { jsonrpc: '2.0', id: 1, result: () => {} }],
    ['a result that is a symbol', { jsonrpc: '2.0', id: 1, result: Symbol('s') }],
    ['a result and an error', { jsonrpc: '2.0', id: 1, result: {}, error: { code: 1, message: 'm' } }],
    ['a result without an id', { jsonrpc: '2.0', result: {} }],
    ['an error code that is no integer', { jsonrpc: '2.0', id: 1, error: { code: 0.5, message: 'm' } }],
    ['an error without a message', { jsonrpc: '2.0', id: 1, error: { code: 1 } }],
    ['a cycle', { jsonrpc: '2.0', id: 1, result: cycle }],
    ['a bigint inside', { jsonrpc: '2.0', id: 1, method: 'm', params: { n: 1n } }],
    ['more levels than the stack holds', { jsonrpc: '2.0', id: 1, result: deep }],
    ['a list in place of a message', [{ jsonrpc: '2.0', method: 'n' }]],
    ['nothing', undefined],
  ])('a message with %s is refused and nothing of it leaves [S34]', (_, message) => {
    expect(() => write(message)).toThrow(expect.objectContaining({ code: 'invalid-outgoing-message' }));
  });

  test('a response never has both a result and an error, and always one of them [s-base-08, s-base-201@2025-06-18]', () => {
    const answer = { jsonrpc: '2.0', id: 1 };
    const error = { code: 1, message: 'm' };
    expect(write({ ...answer, result: {} })).toBe('{"jsonrpc":"2.0","id":1,"result":{}}');
    expect(write({ ...answer, error })).toBe('{"jsonrpc":"2.0","id":1,"error":{"code":1,"message":"m"}}');
    for (const wrong of [answer, { ...answer, result: {}, error }, { ...answer, result: undefined }]) {
      expect(() => write(wrong)).toThrow(expect.objectContaining({ code: 'invalid-outgoing-message' }));
    }
  });
});

describe('writing within the limits', () => {
  const write = (result: unknown): string => writeFrame({ jsonrpc: '2.0', id: 1, result }, limits);
  const refused = (result: unknown): void =>
    expect(() => write(result)).toThrow(expect.objectContaining({ code: 'invalid-outgoing-message' }));

  test('a message may be as long and as deep as the limits and no more', () => {
    const room = limits.maxMessageChars - write('').length;
    expect(write('x'.repeat(room))).toHaveLength(limits.maxMessageChars);
    refused('x'.repeat(room + 1));
    expect(write([[[[]]]])).toContain('[[[[]]]]');
    refused([[[[[]]]]]);
    refused({ a: { a: { a: { a: {} } } } });
  });

  test('a key named __proto__ does not leave, while the same word as text does', () => {
    refused(JSON.parse('{"a":{"__proto__":1}}'));
    expect(write({ a: '__proto__' })).toContain('__proto__');
  });

  test('a value with toJSON is checked by the text it writes', () => {
    const circle: Record<string, unknown> = { toJSON: () => 'round' };
    circle.self = circle;
    expect(write({ circle })).toContain('"circle":"round"');
  });
});

test('a single message can be read without its text', () => {
  expect(readMessage({ jsonrpc: '2.0', method: 'n' }).kind).toBe('notification');
  expect(readMessage([]).kind).toBe('invalid');
});
