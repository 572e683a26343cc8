/** The outcome of a call as text, to be stored: neutral, so that every protocol version can carry it. */
import { RpcError } from '../../../jsonrpc/errors.ts';
import type { Done } from '../../../protocol/neutral.ts';

interface StoredError {
  readonly code: number;
  readonly message: string;
  readonly data?: unknown;
  readonly reason: string;
}

/** `undefined` if it cannot be written. As text, no receiver can change it for another. */
export function writeOutcome(settled: Done | RpcError): string | undefined {
  try {
    return settled instanceof RpcError ? `e${JSON.stringify(storedError(settled))}` : `r${JSON.stringify(settled)}`;
  } catch {
    return undefined;
  }
}

export function readOutcome(text: string): Done | RpcError {
  const value: unknown = JSON.parse(text.slice(1));
  if (text.startsWith('r')) return value as Done;
  const { code, message, data, reason } = value as StoredError;
  return new RpcError(code, message, data, reason);
}

const storedError = ({ code, message, data, reason }: RpcError): StoredError => ({ code, message, data, reason });
