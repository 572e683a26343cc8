/** What may refuse a refresh, before the refresh token is used up: another resource, the provider, and `allow`. */
import type { Context, Grant } from 'oidc-provider';
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

  /** Asks `allow` at each refresh: a client that others keep fresh at the provider must not miss its answer. */
  async function checkAllowed({ subject, user }: Account, { client, entities }: Context['oidc']): Promise<void> {
    const { clientId: id, clientName: name = id } = client;
    const answer = (await settings.allow?.(user, { id, name })) ?? true;
    if (answer === false) {
      await parts.revocations.revoke(subject, id);
      report({ type: 'revoked', subject, client: id, reason: 'allow() does not allow it.' });
      throw new AccessEnded();
    }
    // For these tokens only: the grant is not saved, and `allow` may give the scope back.
    const refused = answer === true ? [] : resources.scopes.filter((scope) => !answer.includes(scope));
    if (refused.length === 0) return;
    const grant = entities.Grant as unknown as Grant;
    for (const resource of resources.all) grant.rejectResourceScope(resource, refused.join(' '));
  }

  return async ({ oidc }) => {
    const { resource } = oidc.params;
    if (resource !== undefined && [resource].flat().some((one) => !resources.all.includes(one)))
      throw new errors.InvalidTarget(`this server issues tokens for ${resources.all.join(' and ')} only`);
    const entity = oidc.entities.Account as unknown as AccountEntity;
    try {
      entity.account = await confirmedAccount(parts, entity.account);
      await checkAllowed(entity.account, oidc);
    } catch (error) {
      if (error instanceof AccessEnded) throw new errors.InvalidGrant('the user has no access any more');
      report({
        type: 'failed',
        subject: entity.account.subject,
        reason: 'The provider or allow() could not be asked.',
        cause: error,
      });
      const unavailable = new errors.TemporarilyUnavailable('the sign-in provider does not answer: try again');
      throw Object.assign(unavailable, { status: 503, statusCode: 503 });
    }
  };
}
