/** The page that asks the user, before anything is sent to the provider, and what the answer starts. */
import { consentPage } from '../../auth-pages/index.ts';
import { shareOf } from '../../ports/share.ts';
import type { Engine } from '../engine/engine.ts';
import type { ReceivedRequest } from '../engine/received-request.ts';
import type { Parts } from '../parts.ts';
import { bindBrowser } from './browser-binding.ts';
import { failureOf, providerFailed } from './provider-failed.ts';
import { PageError, redirect, sendPage } from './respond.ts';
import { donePath, type SignInRequest, signInRequestOf } from './sign-in-request.ts';
import type { PendingSignIn, StoredSignIns } from './stored-sign-ins.ts';
import { sessionOf } from './user-sessions.ts';

export async function showConsent(
  parts: Parts,
  engine: Engine,
  signIns: StoredSignIns,
  request: ReceivedRequest,
): Promise<void> {
  const asked = await signInRequestOf(parts, engine, request);
  const rememberedFor = await rememberedConsent(parts, request, asked);
  if (rememberedFor === undefined) return sendPage(request.response, 200, await consentHtml(parts, asked));
  return goToProvider(parts, signIns, request, { uid: asked.uid, isForAccount: false, rememberedFor });
}

/**
 * The user who has allowed exactly this in this browser, a short time ago. A page of another site that sends the browser here gets no
 * answer without the user: only what the user or an application has opened counts.
 */
async function rememberedConsent(
  parts: Parts,
  request: ReceivedRequest,
  asked: SignInRequest,
): Promise<string | undefined> {
  if (parts.settings.consent !== 'remember' || request.headers['sec-fetch-site'] !== 'none') return undefined;
  const session = await sessionOf(parts, request);
  const isGiven = session?.consents.some(
    ({ client, redirectUri, scopes }) =>
      client === asked.clientId &&
      redirectUri === asked.redirectUri &&
      asked.scopes.every((scope) => scopes.includes(scope)),
  );
  return isGiven ? session?.account.subject : undefined;
}

const csrfPurpose = 'consent';

async function consentHtml({ settings, secrets, provider }: Parts, asked: SignInRequest): Promise<string> {
  const { signIn, texts } = settings;
  const { uid, clientName, clientHost, isKnown, redirectUri, isLoopbackOnly, resource, scopes } = asked;
  return consentPage({
    action: `/consent/${uid}`,
    csrf: secrets.sign(csrfPurpose, uid),
    client: { name: clientName, isKnown, ...(clientHost !== undefined && { host: clientHost }) },
    redirectUri,
    isLoopbackOnly,
    resource,
    scopes,
    providerName: signIn.title ?? signIn.name,
    providerScopes: await provider.scopes(),
    texts,
  });
}

/** The form of the page: only now the provider learns of the sign-in, and only now there is a cookie for its callback. */
export async function answerConsent(
  parts: Parts,
  engine: Engine,
  signIns: StoredSignIns,
  request: ReceivedRequest,
): Promise<void> {
  const asked = await signInRequestOf(parts, engine, request);
  const form = checkedForm(parts, request, csrfPurpose, asked.uid);
  const { clientId: client } = asked;
  if (form.get('answer') !== 'allow') {
    parts.report({ type: 'denied', client, reason: 'The user has denied the client.' });
    return engine.finish(request, { error: 'access_denied', error_description: 'The user denied access' });
  }
  parts.report({ type: 'consented', client });
  return goToProvider(parts, signIns, request, { uid: asked.uid, isForAccount: false });
}

/** Sends the browser to the provider, bound to this sign-in. */
export async function goToProvider(
  { provider, issuer }: Parts,
  signIns: StoredSignIns,
  request: ReceivedRequest,
  pendingFor: Pick<PendingSignIn, 'uid' | 'isForAccount' | 'rememberedFor'>,
): Promise<void> {
  const { uid, isForAccount } = pendingFor;
  const { url, pending } = await provider.begin().catch(async (error: unknown) => {
    if (isForAccount) throw providerFailed(error);
    await signIns.complete(uid, { binding: bindBrowser(request, uid, issuer), failure: failureOf(error) });
    throw providerFailed(error, donePath(uid));
  });
  const binding = bindBrowser(request, uid, issuer);
  await signIns.begin({ ...pendingFor, provider: pending, binding }, shareOf(request));
  redirect(request.response, url.href);
}

/** The form, if this server sent it to this browser, and a page of this server posts it. */
export function checkedForm(
  { secrets, issuer }: Parts,
  { headers, body }: ReceivedRequest,
  purpose: string,
  id: string,
): URLSearchParams {
  const form = new URLSearchParams(body);
  if (headers.origin !== issuer) throw new PageError(403, 'The answer came from another page. Connect again.');
  if (!secrets.isSigned(purpose, id, form.get('csrf') ?? ''))
    throw new PageError(403, 'The answer does not belong to this page. Connect again.');
  return form;
}
