/** The callback of the provider: it counts once, in the browser that allowed the sign-in. Then the user has an account here. */
import type { ReceivedRequest } from '../engine/received-request.ts';
import type { Parts } from '../parts.ts';
import type { ProviderTokens, SignedIn } from '../provider-client/provider-client.ts';
import { ProviderError } from '../provider-client/provider-error.ts';
import { type Account, signedIn } from '../storage/account.ts';
import { isBoundBrowser, unbindBrowser } from './browser-binding.ts';
import { failureOf, providerFailed } from './provider-failed.ts';
import { PageError, redirect } from './respond.ts';
import { donePath } from './sign-in-request.ts';
import type { PendingSignIn, StoredSignIns } from './stored-sign-ins.ts';
import { startSession } from './user-sessions.ts';

export async function receiveCallback(parts: Parts, signIns: StoredSignIns, request: ReceivedRequest): Promise<void> {
  const pending = await takePending(parts, signIns, request);
  const { uid, binding, isForAccount, rememberedFor } = pending;
  const subject = await signIn(parts, request, pending).catch(async (error: unknown) => {
    if (isForAccount) throw providerFailed(error);
    await signIns.complete(uid, { binding, rememberedFor, failure: failureOf(error) });
    throw providerFailed(error, donePath(uid));
  });
  if (isForAccount) return toAccount(parts, request, uid, subject);
  await signIns.complete(uid, { binding, rememberedFor, ...(subject !== undefined && { subject }) });
  redirect(request.response, donePath(uid));
}

async function toAccount(
  parts: Parts,
  request: ReceivedRequest,
  uid: string,
  subject: string | undefined,
): Promise<void> {
  unbindBrowser(request, uid, parts.issuer);
  if (subject === undefined) throw new PageError(403, 'The sign-in was not completed.');
  await startSession(parts, request, subject);
  redirect(request.response, '/account');
}

async function takePending(
  { issuer }: Parts,
  signIns: StoredSignIns,
  request: ReceivedRequest,
): Promise<PendingSignIn> {
  const [state, ...others] = request.query.getAll('state');
  const pending = state === undefined || others.length > 0 ? undefined : await signIns.take(state);
  if (pending === undefined)
    throw new PageError(400, 'This sign-in is over or unknown. Go back to your application and connect again.');
  if (!isBoundBrowser(request, pending.uid, issuer, pending.binding))
    throw new PageError(
      403,
      'This sign-in was begun in another browser. Go back to your application and connect again.',
    );
  return pending;
}

/** The subject of the account; `undefined` if the user or the provider denied the sign-in. */
async function signIn(parts: Parts, { query }: ReceivedRequest, pending: PendingSignIn): Promise<string | undefined> {
  const { provider, issuer, report } = parts;
  const callback = new URL(`${issuer}/callback?${query}`);
  try {
    const found = await provider.complete(callback, pending.provider);
    const subject = subjectOf(parts, found);
    await parts.accounts.update(subject, (before) =>
      signedIn(before, subject, found.user, tokensOf(found, before), Date.now()),
    );
    const { warnings } = found;
    if (warnings !== undefined) report({ type: 'failed', subject, reason: warnings.join(' '), warnings });
    return subject;
  } catch (error) {
    if (!(error instanceof ProviderError) || error.code !== 'denied') throw error;
    report({ type: 'denied', reason: error.message, cause: error.cause });
    return undefined;
  }
}

/** Two providers may have the same subject for different users. */
const subjectOf = ({ settings }: Parts, { user }: SignedIn): string => `${settings.signIn.name}:${user.subject}`;

/** A provider may send a refresh token at the first sign-in alone. */
function tokensOf({ tokens }: SignedIn, before: Account | undefined): ProviderTokens {
  const refreshToken = tokens.refreshToken ?? before?.tokens?.refreshToken;
  return { ...tokens, ...(refreshToken !== undefined && { refreshToken }) };
}
