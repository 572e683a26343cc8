import { describe, expect, test } from 'vitest';
import { type Classified, classify, isRequestId } from './message.ts';

const lone = '\ud800';

describe('request ids', () => {
  test.each([
    ['one', 1],
    ['zero', 0],
    ['a negative integer', -7],
    ['the largest safe integer', Number.MAX_SAFE_INTEGER],
    ['an integer written as a fraction', JSON.parse('1.0')],
    ['text', 'a'],
    ['empty text', ''],
    ['text of digits', '1'],
    ['a lone surrogate', lone],
    ['the name of a prototype', '__proto__'],
  ])('%s is an id', (_, id) => {
    expect(isRequestId(id)).toBe(true);
  });

  test.each([
    ['null', null],
    ['nothing', undefined],
    ['a fraction', 1.5],
    ['an integer that would not come back as it was sent', JSON.parse('9007199254740993')],
    ['a number beyond all', JSON.parse('1e400')],
    ['true', true],
    ['a list', [1]],
    ['an object', {}],
  ])('%s is no id', (_, id) => {
    expect(isRequestId(id)).toBe(false);
  });
});

/** A row of the grid: the fields beside `jsonrpc: "2.0"`, and what they make. */
type Row = readonly [fields: Record<string, unknown>, kind: Classified['kind']];

const error = { code: -32601, message: 'Method not found' };

const grid: readonly Row[] = [
  [{ id: 1, method: 'm' }, 'request'],
  [{ id: 0, method: 'm' }, 'request'],
  [{ id: '', method: 'm' }, 'request'],
  [{ id: lone, method: lone }, 'request'],
  [{ id: 1, method: '' }, 'request'],
  [{ id: 1, method: 'm', params: {} }, 'request'],
  [{ id: 1, method: 'm', params: [] }, 'request'],
  [{ id: 1, method: 'm', params: [1, { a: 2 }] }, 'request'],
  [{ id: 1, method: 'm', unheardOf: true, _meta: {} }, 'request'],
  [{ id: 1, method: 'm', params: null }, 'invalid'],
  [{ id: 1, method: 'm', params: 'text' }, 'invalid'],
  [{ id: 1, method: 'm', params: 0 }, 'invalid'],
  [{ id: 1, method: 'm', params: false }, 'invalid'],
  [{ id: null, method: 'm' }, 'invalid'],
  [{ id: 1.5, method: 'm' }, 'invalid'],
  [{ id: 2 ** 53, method: 'm' }, 'invalid'],
  [{ id: [1], method: 'm' }, 'invalid'],
  [{ id: {}, method: 'm' }, 'invalid'],
  [{ id: true, method: 'm' }, 'invalid'],
  [{ id: 1, method: 5 }, 'invalid'],
  [{ id: 1, method: null }, 'invalid'],
  [{ id: 1, method: ['m'] }, 'invalid'],
  [{ id: 1, method: 'm', result: {} }, 'invalid'],
  [{ id: 1, method: 'm', result: null }, 'invalid'],
  [{ id: 1, method: 'm', error }, 'invalid'],
  [{ method: 'm' }, 'notification'],
  [{ method: 'm', params: {} }, 'notification'],
  [{ method: 'm', params: [] }, 'notification'],
  [{ method: 'm', params: 7 }, 'invalid'],
  [{ method: 7 }, 'invalid'],
  [{ id: 1, result: {} }, 'result'],
  [{ id: 0, result: {} }, 'result'],
  [{ id: '', result: {} }, 'result'],
  [{ id: 1, result: null }, 'result'],
  [{ id: 1, result: false }, 'result'],
  [{ id: 1, result: 0 }, 'result'],
  [{ id: 1, result: '' }, 'result'],
  [{ id: 1, result: [] }, 'result'],
  [{ id: 1, result: {}, error }, 'invalid'],
  [{ id: 1, result: null, error: null }, 'invalid'],
  [{ id: null, result: {} }, 'invalid'],
  [{ result: {} }, 'invalid'],
  [{ id: 1.5, result: {} }, 'invalid'],
  [{ id: 1, error }, 'error'],
  [{ id: '', error }, 'error'],
  [{ id: null, error }, 'error'],
  [{ error }, 'error'],
  [{ id: 1, error: { ...error, data: null } }, 'error'],
  [{ id: 1, error: { ...error, more: 1 } }, 'error'],
  [{ id: 1.5, error }, 'invalid'],
  [{ id: {}, error }, 'invalid'],
  [{ id: 1, error: null }, 'invalid'],
  [{ id: 1, error: 'failed' }, 'invalid'],
  [{ id: 1, error: [] }, 'invalid'],
  [{ id: 1, error: {} }, 'invalid'],
  [{ id: 1, error: { code: -1 } }, 'invalid'],
  [{ id: 1, error: { message: 'm' } }, 'invalid'],
  [{ id: 1, error: { code: 1.5, message: 'm' } }, 'invalid'],
  [{ id: 1, error: { code: '-32601', message: 'm' } }, 'invalid'],
  [{ id: 1, error: { code: -32601, message: null } }, 'invalid'],
  [{ id: 1 }, 'invalid'],
  [{ id: 1, params: {} }, 'invalid'],
  [{}, 'invalid'],
];

describe('classification', () => {
  test.each(grid)('%j is a %s', (fields, kind) => {
    const message = { jsonrpc: '2.0', ...fields };
    const problem = expect.stringMatching(/\w+ \w+/);
    expect(classify(message)).toEqual(kind === 'invalid' ? { kind, problem } : { kind, message });
  });

  test.each(grid)('%j is invalid without the right jsonrpc field', (fields) => {
    for (const jsonrpc of [undefined, null, '1.0', '2', 2, 2.0, '2.0 ', ['2.0'], { toString: () => '2.0' }]) {
      expect(classify({ ...fields, jsonrpc }).kind).toBe('invalid');
    }
  });

  test.each([undefined, null, true, 0, '', 'text', [], [{ jsonrpc: '2.0', id: 1, method: 'm' }]])(
    '%j is no message at all',
    (value) => {
      expect(classify(value).kind).toBe('invalid');
    },
  );

  test('a field set to undefined counts as absent', () => {
    const fields = { id: undefined, params: undefined, result: undefined, error: undefined };
    expect(classify({ jsonrpc: '2.0', method: 'm', ...fields }).kind).toBe('notification');
  });
});
