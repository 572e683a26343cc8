import { expect, it } from 'vitest';
import { TenonError } from '../lib/errors/tenon-error.ts';
import { RpcError, toWarning } from './errors.ts';

it('an error that has a code stays the same error', () => {
  const error = new TenonError('timeout', 'Late.');
  expect(toWarning(error)).toBe(error);
});

it.each([
  [new RpcError(-32603, 'broken'), 'request-failed', 'The peer answered with an error: broken'],
  [new RangeError('broken'), 'callback-failed', 'A handler or callback threw: broken'],
  ['a text', 'callback-failed', 'A handler or callback threw: a text'],
])('%s gets the code %s and %s', (cause, code, message) => {
  const warning = toWarning(cause);
  expect(warning).toBeInstanceOf(TenonError);
  expect(warning).toMatchObject({ code, message, cause });
});
