import { createServer, tool } from 'tenon';
import { describe, expect, it } from 'vitest';

const secret = 'x'.repeat(16);
const withOptions = (options: unknown) => createServer({ name: 'x', version: '1' }, options as object);

describe('createServer() rejects invalid options and names the place:', () => {
  it.each<[string, unknown, string]>([
    ['null', null, 'options'],
    ['a list', [], 'options'],
    ['middleware that is not a list', { middleware: () => {} }, 'middleware'],
    ['middleware that is not a function', { middleware: [() => {}, {}] }, 'middleware[1]'],
    ['a timeout of 0', { timeoutMs: 0 }, 'timeoutMs'],
    ['an infinite timeout', { timeoutMs: Number.POSITIVE_INFINITY }, 'timeoutMs'],
    ['a timeout as a string', { timeoutMs: '5' }, 'timeoutMs'],
    ['a negative number of calls', { limits: { maxConcurrentCalls: -1 } }, 'limits.maxConcurrentCalls'],
    ['rounds that are not a number', { limits: { maxInputRounds: Number.NaN } }, 'limits.maxInputRounds'],
    ['half a round', { limits: { maxInputRounds: 1.5 } }, 'limits.maxInputRounds'],
    ['requestState that is not an object', { requestState: secret }, 'requestState'],
    ['an empty list of secrets', { secrets: [] }, 'secrets'],
    ['secrets that are not a list', { secrets: secret }, 'secrets'],
    ['a short secret', { secrets: [secret, 'short'] }, 'secrets[1]'],
    ['a state that expires at once', { requestState: { ttlMs: 0 } }, 'requestState.ttlMs'],
    ['a clock', { requestState: { now: Date.now } }, 'requestState.now'],
    ['onError that is not a function', { onError: true }, 'onError'],
    ['idempotency that is not an object', { idempotency: true }, 'idempotency'],
    ['idempotency that expires at once', { idempotency: { ttlMs: 0 } }, 'idempotency.ttlMs'],
    ['an unknown option of idempotency', { idempotency: { maxEntry: 5 } }, 'idempotency'],
    ['alwaysReplay as a string', { alwaysReplay: 'yes' }, 'alwaysReplay'],
    ['schemes that are not a list', { allowedUrlSchemes: 'https' }, 'allowedUrlSchemes'],
    ['a scheme with its colon', { allowedUrlSchemes: ['https:'] }, 'allowedUrlSchemes'],
  ])('%s', (_name, options, place) => {
    expect(() => withOptions(options)).toThrow(
      expect.objectContaining({ code: 'invalid-definition', message: expect.stringContaining(place) }),
    );
  });

  it('and accepts valid ones', () => {
    const options = {
      middleware: [],
      timeoutMs: 0.5,
      limits: { maxInputRounds: 1 },
      secrets: [secret],
      onError: undefined,
    };
    expect(() => withOptions(options)).not.toThrow();
  });

  it('and does not reveal the secret', () => {
    expect(() => withOptions({ secrets: ['hunter2'] })).toThrow(
      expect.objectContaining({ message: expect.not.stringContaining('hunter2') }),
    );
  });
});

describe('createServer() refuses what is fixed, and says at which value:', () => {
  it.each<[string, object, number]>([
    ['requestState.maxChars', { requestState: { maxChars: 1000 } }, 65_536],
    ['requestState.maxUsed', { requestState: { maxUsed: 1000 } }, 100_000],
    ['requestState.maxResultChars', { requestState: { maxResultChars: 1000 } }, 16_000_000],
    ['tasks.maxCrashes', { tasks: { maxCrashes: 3 } }, 5],
    ['tasks.maxJournalEntries', { tasks: { maxJournalEntries: 50 } }, 10_000],
    ['idempotency.maxEntries', { idempotency: { maxEntries: 1000 } }, 100_000],
    ['idempotency.maxChars', { idempotency: { maxChars: 1000 } }, 16_000_000],
  ])('%s', (place, options, value) => {
    expect(() => createServer({ name: 'x', version: '1' }, options)).toThrow(
      expect.objectContaining({
        code: 'invalid-definition',
        message: expect.stringContaining(`${place} is fixed at ${value}.`),
      }),
    );
  });

  it('task.retry.maxBackoffMs of a tool', () => {
    const tools = { it: tool({ task: { retry: { maxBackoffMs: 5000 } as object } }, () => 'done') };
    expect(() => createServer({ name: 'x', version: '1', tools })).toThrow('retry.maxBackoffMs is fixed at 60000.');
  });
});

describe('createServer() rejects unknown protocol versions, dialects and error codes:', () => {
  it.each<[string, object]>([
    ['protocolVersions', { protocolVersions: '2025-06-18' }],
    ['versionMismatch', { versionMismatch: 'ignore' }],
    ['compat.dialects', { compat: { dialects: ['toString'] } }],
    ['compat.dialects', { compat: { dialects: 'tasks-create' } }],
    ['compat.errorCodes', { compat: { errorCodes: 'constructor' } }],
  ])('%s as %j', (place, options) => {
    expect(() => createServer({ name: 'x', version: '1' }, options)).toThrow(
      expect.objectContaining({ code: 'invalid-definition', message: expect.stringContaining(place) }),
    );
  });
});

describe('An unknown field or option is rejected, and the nearest one is named:', () => {
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
