/** The exit codes of the command line, and which of them an error means. */
import { RpcError } from '../../jsonrpc/errors.ts';
import { TenonError, type TenonErrorCode } from '../../lib/errors/tenon-error.ts';

/** What each code means; the guide shows this table. */
export const exitCodes = {
  0: 'The command succeeded.',
  1: 'The tool reported an error, a comparison found a difference, or a check failed.',
  2: 'The command line is wrong: an unknown command or option, or a missing argument.',
  3: 'The server cannot be reached.',
  4: 'The server requires other credentials: sign in with `tenon login`.',
  5: 'The server asks the user something: answer it with `tenon answer`.',
  6: 'No response in time, or the outcome of the call is unknown.',
  7: 'The server answered with a protocol error.',
  130: 'Interrupted by Ctrl+C or SIGTERM.',
} as const;

export type ExitCode = keyof typeof exitCodes;

const byCode: Readonly<Partial<Record<TenonErrorCode, ExitCode>>> = {
  'invalid-argument': 2,
  'invalid-definition': 2,
  'invalid-package': 2,
  'invalid-snapshot': 2,
  'package-too-large': 2,
  'schema-drift': 1,
  'invalid-capture': 2,
  'capture-too-new': 2,
  'circuit-open': 3,
  'connection-closed': 3,
  'connection-refused': 3,
  'endpoint-not-found': 3,
  'host-not-found': 3,
  'http-error': 3,
  'proxy-error': 3,
  'redirect-not-followed': 3,
  'server-exited': 3,
  'server-unavailable': 3,
  'server-unresponsive': 3,
  'session-expired': 3,
  'tls-failed': 3,
  'unexpected-content': 3,
  unreachable: 3,
  'authorization-failed': 4,
  forbidden: 4,
  'sign-in-required': 4,
  unauthorized: 4,
  'server-request-failed': 5,
  'call-not-held': 6,
  timeout: 6,
  'outcome-unknown': 6,
  'capability-not-supported': 7,
  'invalid-request-state': 7,
  'task-not-found': 7,
};

/** Any other error with a step of connecting means that the server cannot be reached. */
export function exitCodeOf(error: unknown): ExitCode {
  if (error instanceof RpcError) return error.step === 'authorize' ? 4 : 7;
  if (!(error instanceof TenonError)) return 1;
  return byCode[error.code] ?? (error.step === undefined ? 1 : 3);
}
