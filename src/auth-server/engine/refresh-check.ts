/** What may refuse a refresh, before the refresh token is used up: another resource, the provider, and `allow`. */
import type { Context } from 'oidc-provider';
import type { Parts } from '../parts.ts';
import { AccessEnded, confirmedAccount } from '../provider-check.ts';
import type { Account } from '../storage/account.ts';
import type { EngineModule } from './engine.ts';

/** The account as the engine has it, which new tokens are made of. */
interface AccountEntity {
  account: Account;
}

export function createRefreshCheck(parts: Parts, { errors }: EngineModule): (context: Context) => Promise<void> {
  const { resources, settings, report } = parts;

  async function confirmed(account: Account, client: Context['oidc']['client']): Promise<Account> {
    const now = await confirmedAccount(parts, account);
    if (now.checkedAt === account.checkedAt || settings.allow === undefined) return now;
    const answer = await settings.allow(now.user, { id: client.clientId, name: client.clientName ?? client.clientId });
    if (answer !== false) return now;
    await parts.revocations.revoke(now.subject, client.clientId);
    report({ type: 'revoked', subject: now.subject, client: client.clientId, reason: 'allow() does not allow it.' });
    throw new AccessEnded();
  }

  return async ({ oidc }) => {
    const { resource } = oidc.params;
    if (resource !== undefined && [resource].flat().some((one) => !resources.all.includes(one)))
      throw new errors.InvalidTarget(`this server issues tokens for ${resources.all.join(' and ')} only`);
    const entity = oidc.entities.Account as unknown as AccountEntity;
    try {
      entity.account = await confirmed(entity.account, oidc.client);
    } catch (error) {
      if (error instanceof AccessEnded) throw new errors.InvalidGrant('the user has no access any more');
      report({
        type: 'failed',
        subject: entity.account.subject,
        reason: 'The provider could not be asked.',
        cause: error,
      });
      const unavailable = new errors.TemporarilyUnavailable('the sign-in provider does not answer: try again');
      throw Object.assign(unavailable, { status: 503, statusCode: 503 });
    }
  };
}
