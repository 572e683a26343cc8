/** Asks the provider whether a user still has the account there, at most every few minutes. */
import type { Parts } from './parts.ts';
import { ProviderError } from './provider-client/provider-error.ts';
import { revokeUser } from './revoke-user.ts';
import { type Account, withTokens } from './storage/account.ts';

/** The user has no access any more: it was revoked here, too. */
export class AccessEnded extends Error {}

/** The account as the provider confirms it. Rejects with `AccessEnded`, and with the error of a provider that does not answer. */
export async function confirmedAccount(parts: Parts, account: Account): Promise<Account> {
  if (!isDue(parts, account)) return account;
  return parts.lock(account.subject, async () => {
    const current = await parts.accounts.read(account.subject);
    if (current === undefined) throw new AccessEnded();
    return isDue(parts, current) ? askProvider(parts, current) : current;
  });
}

const isDue = ({ settings }: Parts, { checkedAt, tokens }: Account): boolean =>
  tokens !== undefined && Date.now() - checkedAt >= settings.lifetimes.providerCheckMs;

async function askProvider(parts: Parts, account: Account): Promise<Account> {
  const { provider, accounts } = parts;
  const { subject, user, tokens } = account;
  if (tokens === undefined) return account;
  try {
    const found = await provider.check({ user, tokens });
    const changed = await accounts.update(subject, (before) =>
      withTokens(before, tokens, found.tokens, { user: found.user, checkedAt: Date.now() }),
    );
    if (changed?.tokens === undefined) throw new AccessEnded();
    return changed;
  } catch (error) {
    if (!(error instanceof ProviderError) || (error.code !== 'revoked' && error.code !== 'not-allowed')) throw error;
    parts.report({ type: 'revoked', subject, reason: error.message, cause: error.cause });
    // What the provider has ended needs no request there.
    await (error.code === 'revoked' ? parts.revocations.revoke(subject) : revokeUser(parts, subject));
    throw new AccessEnded();
  }
}
