/** Failures at the provider as pages: a sentence for the user, and the cause for the operator. */
import { ProviderError } from '../provider-client/provider-error.ts';
import { PageError } from './respond.ts';

const statuses = {
  unreachable: 503,
  denied: 403,
  revoked: 403,
  'not-allowed': 403,
  misconfigured: 500,
  'invalid-response': 400,
} as const;

export function providerFailed(error: unknown): unknown {
  if (!(error instanceof ProviderError)) return error;
  const { code, message, cause } = error;
  return new PageError(statuses[code], message, { type: 'failed', cause });
}
