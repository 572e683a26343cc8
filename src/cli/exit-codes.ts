/** The exit codes of the command line, and which of them an error means. */
import { RpcError, TenonError } from '../jsonrpc/errors.ts';

/** What each code means; the guide shows this table. */
export const exitCodes = {
  0: 'It worked.',
  1: 'Bad news: the tool reported an error, a comparison found a difference, a check failed.',
  2: 'The command line is wrong: an unknown command or option, or a missing argument.',
  3: 'The server cannot be reached.',
  4: 'The server wants other credentials: sign in with `tenon login`.',
  5: 'The server asks something: answer with `tenon answer`.',
  6: 'No answer in time, or it is not known whether the call was carried out.',
  7: 'The server refused the request with an error of the protocol.',
  130: 'Interrupted by Ctrl+C.',
} as const;

export type ExitCode = keyof typeof exitCodes;

const byCode: Readonly<Record<string, ExitCode>> = {
  'invalid-argument': 2,
  'invalid-definition': 2,
  unauthorized: 4,
  'sign-in-needed': 4,
  'insufficient-scope': 4,
  timeout: 6,
  'outcome-unknown': 6,
  'rpc-error': 7,
};

/** Errors of the connection have many codes: what is none of the others is one of them. */
export function exitCodeOf(error: unknown): ExitCode {
  if (error instanceof RpcError) return 7;
  if (!(error instanceof TenonError)) return 1;
  const known = byCode[error.code];
  if (known !== undefined) return known;
  return /auth|token|credential|sign-in/.test(error.code) ? 4 : 3;
}
