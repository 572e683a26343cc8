/** Ends the access of a user here, and then at the provider: its refresh token would otherwise live on there, unused. */
import type { Parts } from './parts.ts';
import { ProviderError } from './provider-client/provider-error.ts';

/** False if there is no such account. Access here has ended also if the provider does not answer. */
export async function revokeUser(parts: Parts, subject: string): Promise<boolean> {
  const { accounts, revocations, provider, report } = parts;
  const tokens = (await accounts.read(subject))?.tokens;
  const isFound = await revocations.revoke(subject);
  if (tokens === undefined) return isFound;
  try {
    await provider.revoke(tokens);
  } catch (error) {
    if (!(error instanceof ProviderError)) throw error;
    report({ type: 'failed', subject, reason: `Not revoked at the provider: ${error.message}`, cause: error.cause });
  }
  return isFound;
}
