/** Tokens of the provider, for tools that call its API. They are refreshed by one caller at a time, on all nodes. */
import { TenonError } from '../lib/errors/tenon-error.ts';
import type { Principal } from '../ports/principal.ts';
import type { Parts } from './parts.ts';

/** A token of the provider. */
export interface ProviderToken {
  /** The token. Never send it to a client. */
  readonly accessToken: string;
  /** When it expires, in milliseconds as `Date.now()` has them, if the provider said so. */
  readonly expiresAt: number | undefined;
}

export async function providerTokenOf(
  parts: Parts,
  { issuer, subject }: Pick<Principal, 'issuer' | 'subject'>,
): Promise<ProviderToken> {
  const account = issuer === parts.issuer ? await parts.accounts.read(subject) : undefined;
  if (account?.tokens === undefined) throw new TenonError('sign-in-required', 'There is no token of the provider for this user.');
  const { accessToken, expiresAt } = account.tokens;
  return { accessToken, expiresAt };
}
