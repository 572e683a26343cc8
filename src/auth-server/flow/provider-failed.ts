/** Failures at the provider: a page with a sentence for the user, the same sentence for the client, and the cause for the operator. */
import { ProviderError } from '../provider-client/provider-error.ts';
import { PageError } from './respond.ts';
import type { FailedSignIn } from './stored-sign-ins.ts';

const statuses = {
  unreachable: 503,
  denied: 403,
  revoked: 403,
  'not-allowed': 403,
  misconfigured: 500,
  'invalid-response': 400,
} as const;

/** `back`: where the user finds the application again, if there is one. */
export function providerFailed(error: unknown, back?: string): unknown {
  if (!(error instanceof ProviderError)) return error;
  const { code, message, cause } = error;
  return new PageError(statuses[code], message, { type: 'failed', cause }, back);
}

/** What the client gets, in the characters of RFC 6749, 4.1.2.1. */
export function failureOf(error: unknown): FailedSignIn {
  const text = error instanceof ProviderError ? error.message : 'The sign-in failed on the server.';
  return {
    error: errorOf(error),
    error_description: text.replaceAll('"', "'").replaceAll(/[^\x20-\x5b\x5d-\x7e]/g, ' '),
  };
}

function errorOf(error: unknown): FailedSignIn['error'] {
  const code = error instanceof ProviderError ? error.code : 'misconfigured';
  if (code === 'unreachable') return 'temporarily_unavailable';
  return code === 'misconfigured' || code === 'invalid-response' ? 'server_error' : 'access_denied';
}
