import { describe, expect, it } from 'vitest';
import { RpcError } from '../jsonrpc/errors.ts';
import { errorCodeTables } from './dialects/error-codes.ts';
import { rpcErrorReasons } from './error-meanings.ts';
import { errorName } from './error-names.ts';
import { errorNumber, errorStatus, type RpcErrorReason, rpcError } from './errors.ts';
import { findRevision, revisions } from './revisions/revisions.ts';

const numbersOf = (id: string) => findRevision(id)?.errorNumbers ?? {};

describe('Error names and numbers', () => {
  it('give a missing resource -32002 in sessions and -32602 in exchanges [S29]', () => {
    const error = rpcError('resource-not-found', 'gone');
    const numbers = revisions.map(({ errorNumbers }) => errorNumber(errorNumbers, error));
    expect(numbers).toEqual([-32002, -32002, -32002, -32002, -32602]);
  });

  it('give the URL that has to be opened a number of its own in the one revision that has it', () => {
    const error = rpcError('url-elicitation-required', 'open this');
    const numbers = revisions.map(({ errorNumbers }) => errorNumber(errorNumbers, error));
    expect(numbers).toEqual([-32602, -32602, -32602, -32042, -32602]);
  });

  it('keep the number of an error that was made with one', () => {
    expect(errorNumber(numbersOf('2025-11-25'), new RpcError(4711, 'own'))).toBe(4711);
  });

  it.each(['own', 'unknown', 'constructor', 'toString'])(
    'give an error with the reason %s of a handler the status 200',
    (reason) => {
      expect(errorStatus(new RpcError(4711, 'own', undefined, reason).reason)).toBe(200);
      expect(errorNumber({}, new RpcError(4711, 'own', undefined, reason))).toBe(4711);
    },
  );

  it('read a number back as the plainest name it can stand for [S29]', () => {
    expect(errorName({}, -32602)).toBe('invalid-params');
    expect(errorName({}, -32603)).toBe('internal-error');
    expect(errorName(numbersOf('2025-06-18'), -32002)).toBe('resource-not-found');
    expect(errorName(numbersOf('2025-06-18'), -32602)).toBe('invalid-params');
    expect(errorName({}, -32021)).toBe('missing-client-capability');
  });

  it("read an unknown peer's implementation-defined number as unknown, with the number kept [S29]", () => {
    for (const code of [-32000, -32001, -32003, -32019])
      expect(errorName(numbersOf('2025-06-18'), code)).toBe('unknown');
  });

  it("still understand an older server's missing resource in an exchange", () => {
    expect(errorName(numbersOf('2026-07-28'), -32002)).toBe('resource-not-found');
  });

  it('round-trip through each founding table, every name by its own number [S29]', () => {
    for (const table of Object.values(errorCodeTables)) {
      for (const [name, number] of Object.entries(table)) {
        expect(errorName(table, number)).toBe(name);
        expect(errorNumber(table, rpcError(name as RpcErrorReason, ''))).toBe(number);
      }
    }
  });

  it('never give one of our own errors a number that JSON-RPC or MCP reserves', () => {
    const own = [
      'unauthorized',
      'permission-denied',
      'insufficient-scope',
      'timeout',
      'rate-limited',
      'overloaded',
    ] as const;
    for (const name of own) expect(rpcErrorReasons[name].code).toBeGreaterThan(-32000);
  });
});
