/** What fails in PostgreSQL, by name: whether it may have been carried out, and what to do. */
import { TenonError, type TenonErrorCode } from '../lib/errors/tenon-error.ts';

/** Errors that the server answered, by their SQLSTATE: nothing was carried out. */
const answers: Readonly<Record<string, readonly [TenonErrorCode, string]>> = {
  '55P03': ['store-busy', 'Another run on the same partition took too long. Try again, or raise timeouts.commandMs.'],
  '40P01': ['store-busy', 'Try again.'],
  '40001': ['store-busy', 'Try again.'],
  '57014': ['store-timeout', 'Look at the load of PostgreSQL, or raise timeouts.commandMs.'],
  '25006': ['store-failed', 'The server is a replica, or was set to read only. Connect to the primary.'],
  '42501': ['store-failed', 'The role lacks a privilege: the guide to stores has the GRANT statements that it needs.'],
};

/** The errors after which the schema has to be looked at again: something in it does not exist. */
const missing = new Set(['3F000', '42P01', '42883', '42703']);

const codeOf = (cause: unknown): string | undefined => {
  const code = (cause as { code?: unknown } | null)?.code;
  return typeof code === 'string' && /^[\dA-Z]{5}$/.test(code) ? code : undefined;
};

/** Without a reference to the connection, which knows the password. */
function withoutClient(cause: unknown): unknown {
  if (cause instanceof Error && 'client' in cause) delete cause.client;
  return cause;
}

const textOf = (cause: unknown): string => (cause instanceof Error ? cause.message : String(cause)).replace(/\.$/, '');

export function named(cause: unknown): TenonError {
  if (cause instanceof TenonError) return cause;
  const state = codeOf(cause);
  if (state === undefined) return unanswered(cause);
  const [code, hint] = answers[state] ?? ['store-failed', undefined];
  return new TenonError(code, `PostgreSQL failed: ${textOf(cause)} (${state}).`, {
    ...(hint !== undefined && { hint }),
    details: { state },
    cause: withoutClient(cause),
  });
}

/** The answer did not come in time, or the connection was lost before it. */
export const unanswered = (cause: unknown): TenonError =>
  new TenonError('store-timeout', 'PostgreSQL did not answer in time, or the connection was lost.', {
    hint: 'The command may have been carried out. Look at the load of PostgreSQL, or raise timeouts.commandMs.',
    cause: withoutClient(cause),
  });

export const isUnanswered = (error: unknown): boolean => error instanceof TenonError && stateOf(error) === undefined;

const stateOf = (error: unknown): string | undefined =>
  error instanceof TenonError ? (error.details.state as string | undefined) : undefined;

/** Whether PostgreSQL refused what it was sent: it did not fail for want of time, room or a connection. */
export const isRefused = (error: unknown): boolean => /^(?:2[0-3]|4[24]|54|P0|XX)/.test(stateOf(error) ?? '');

export const isSchemaMissing = (error: unknown): boolean => missing.has(stateOf(error) ?? '');

/** The password of the address is no part of it. */
export function notConnected(shown: string, cause: unknown): TenonError {
  if (cause instanceof TenonError) return cause;
  if (textOf(cause) === 'timeout exceeded when trying to connect')
    return new TenonError('store-busy', 'All connections to PostgreSQL are in use.', {
      hint: 'Raise maxConnections, or look at what PostgreSQL waits for.',
      cause: withoutClient(cause),
    });
  return new TenonError('store-failed', `PostgreSQL at ${shown} cannot be reached: ${textOf(cause)}.`, {
    hint: 'Check the address, the user and the password, and that PostgreSQL runs.',
    cause: withoutClient(cause),
  });
}
