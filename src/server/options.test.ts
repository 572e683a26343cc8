import { createServer } from 'tenon';
import { describe, expect, it } from 'vitest';
import { checkServerOptions } from './options.ts';

const secret = 'x'.repeat(16);

describe('Options of a server that could only fail later are refused, and the place is named:', () => {
  it.each<[string, unknown, string]>([
    ['null', null, 'options'],
    ['a list', [], 'options'],
    ['middleware that is no list', { middleware: () => {} }, 'middleware'],
    ['middleware that is no function', { middleware: [() => {}, {}] }, 'middleware[1]'],
    ['a time-out of nothing', { timeoutMs: 0 }, 'timeoutMs'],
    ['a time-out without end', { timeoutMs: Number.POSITIVE_INFINITY }, 'timeoutMs'],
    ['a time-out as text', { timeoutMs: '5' }, 'timeoutMs'],
    ['no calls at once', { limits: { maxConcurrentCalls: -1 } }, 'limits.maxConcurrentCalls'],
    ['rounds that are no number', { limits: { maxInputRounds: Number.NaN } }, 'limits.maxInputRounds'],
    ['half a round', { limits: { maxInputRounds: 1.5 } }, 'limits.maxInputRounds'],
    ['requestState that is no object', { requestState: secret }, 'requestState'],
    ['no secrets in the list', { secrets: [] }, 'secrets'],
    ['a secret that is no list', { secrets: secret }, 'secrets'],
    ['a short secret', { secrets: [secret, 'short'] }, 'secrets[1]'],
    ['a state that lives for no time', { requestState: { ttlMs: 0 } }, 'requestState.ttlMs'],
    ['a clock', { requestState: { now: Date.now } }, 'requestState.now'],
    ['a hearer that is none', { onError: true }, 'onError'],
    ['idempotency that is no object', { idempotency: true }, 'idempotency'],
    ['idempotency for no time', { idempotency: { ttlMs: 0 } }, 'idempotency.ttlMs'],
    ['idempotency by a name that there is not', { idempotency: { maxEntry: 5 } }, 'idempotency'],
    ['alwaysReplay as text', { alwaysReplay: 'yes' }, 'alwaysReplay'],
    ['schemes that are no list', { allowedUrlSchemes: 'https' }, 'allowedUrlSchemes'],
    ['a scheme with its colon', { allowedUrlSchemes: ['https:'] }, 'allowedUrlSchemes'],
  ])('%s', (_name, options, place) => {
    expect(() => checkServerOptions(options)).toThrow(
      expect.objectContaining({ code: 'invalid-definition', message: expect.stringContaining(place) }),
    );
  });

  it('and good ones are taken', () => {
    const options = {
      middleware: [],
      timeoutMs: 0.5,
      limits: { maxInputRounds: 1 },
      secrets: [secret],
      onError: undefined,
    };
    expect(() => checkServerOptions(options)).not.toThrow();
  });

  it('a refusal does not tell the secret', () => {
    expect(() => checkServerOptions({ secrets: ['hunter2'] })).toThrow(
      expect.objectContaining({ message: expect.not.stringContaining('hunter2') }),
    );
  });
});

describe('What a server is to speak is refused where it is not known:', () => {
  it.each<[string, object]>([
    ['protocolVersions', { protocolVersions: '2025-06-18' }],
    ['versionMismatch', { versionMismatch: 'ignore' }],
    ['compat.dialects', { compat: { dialects: ['toString'] } }],
    ['compat.dialects', { compat: { dialects: 'founding-tasks' } }],
    ['compat.errorCodes', { compat: { errorCodes: 'constructor' } }],
  ])('%s as %j', (place, options) => {
    expect(() => createServer({ name: 'x', version: '1' }, options)).toThrow(
      expect.objectContaining({ code: 'invalid-definition', message: expect.stringContaining(place) }),
    );
  });
});

describe('A name that nobody knows is refused, and the nearest one is named:', () => {
  it.each<[object, object, string]>([
    [{ tool: {} }, {}, 'Did you mean tools?'],
    [{ desciption: 'x' }, {}, 'Did you mean description?'],
    [{}, { middlewares: [] }, 'Did you mean middleware?'],
    [{}, { timeout: 5 }, 'Did you mean timeoutMs?'],
    [{}, { secret: ['x'] }, 'Did you mean secrets?'],
    [{}, { banana: 1 }, 'There are middleware, timeoutMs'],
  ])('%j with %j', (definition, options, hint) => {
    expect(() => createServer({ name: 'x', version: '1', ...definition }, options)).toThrow(
      expect.objectContaining({ code: 'invalid-definition', hint: expect.stringContaining(hint) }),
    );
  });
});
