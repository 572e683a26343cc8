/** Tokens of the provider, for tools that call its API. They stay on the server. */
import { TenonError } from '../lib/errors/tenon-error.ts';
import type { Principal } from '../ports/principal.ts';
import type { Parts } from './parts.ts';
import { ProviderError } from './provider-client/provider-error.ts';
import { type Account, withTokens } from './storage/account.ts';

/** A token of the provider. */
export interface ProviderToken {
  /** The token. Never send it to a client. */
  readonly accessToken: string;
  /** When it expires, in milliseconds as `Date.now()` has them, if the provider said so. */
  readonly expiresAt: number | undefined;
}

/** A token that expires sooner is refreshed. */
const spareMs = 60_000;

export async function providerTokenOf(
  parts: Parts,
  { issuer, subject }: Pick<Principal, 'issuer' | 'subject'>,
): Promise<ProviderToken> {
  const account = issuer === parts.issuer ? await parts.accounts.read(subject) : undefined;
  const known = tokenOf(account);
  if (account === undefined || known === undefined) throw signInRequired(parts);
  if (isFresh(known)) return known;
  return parts.lock(subject, async () => {
    const current = await parts.accounts.read(subject);
    const newer = tokenOf(current);
    if (current === undefined || newer === undefined) throw signInRequired(parts);
    return isFresh(newer) ? newer : refreshed(parts, current);
  });
}

const isFresh = ({ expiresAt }: ProviderToken): boolean => expiresAt === undefined || expiresAt - spareMs > Date.now();

const tokenOf = (account: Account | undefined): ProviderToken | undefined =>
  account?.tokens && { accessToken: account.tokens.accessToken, expiresAt: account.tokens.expiresAt };

async function refreshed(parts: Parts, { subject, tokens }: Account): Promise<ProviderToken> {
  if (tokens === undefined) throw signInRequired(parts);
  try {
    const found = await parts.provider.refresh(tokens);
    const changed = await parts.accounts.update(subject, (before) => withTokens(before, tokens, found));
    const known = tokenOf(changed);
    if (known === undefined) throw signInRequired(parts);
    return known;
  } catch (cause) {
    if (!(cause instanceof ProviderError)) throw cause;
    if (cause.code === 'revoked') throw signInRequired(parts, cause);
    throw new TenonError('server-unavailable', `There is no new token of the provider: ${cause.message}`, { cause });
  }
}

const signInRequired = ({ settings, issuer }: Parts, cause?: unknown): TenonError =>
  new TenonError(
    'sign-in-required',
    `There is no token of ${settings.signIn.title ?? settings.signIn.name} for this user any more.`,
    {
      hint: 'The user connects again: then there is a new one.',
      details: { url: issuer },
      ...(cause !== undefined && { cause }),
    },
  );
