/** The end of a sign-in: `allow` decides, the client gets its grant, and the browser goes back to it with a code. */
import type { Engine } from '../engine/engine.ts';
import type { ReceivedRequest } from '../engine/received-request.ts';
import type { Parts } from '../parts.ts';
import { type Account, approved } from '../storage/account.ts';
import { isBoundBrowser, unbindBrowser } from './browser-binding.ts';
import { PageError } from './respond.ts';
import { type SignInRequest, signInRequestOf } from './sign-in-request.ts';
import type { StoredSignIns } from './stored-sign-ins.ts';
import { startSession } from './user-sessions.ts';

export async function finishSignIn(
  parts: Parts,
  engine: Engine,
  signIns: StoredSignIns,
  request: ReceivedRequest,
): Promise<void> {
  const asked = await signInRequestOf(parts, engine, request);
  const completed = await signIns.takeCompleted(asked.uid);
  if (completed === undefined || !isBoundBrowser(request, asked.uid, parts.issuer, completed.binding))
    throw new PageError(400, 'This sign-in is over. Go back to your application and connect again.');
  unbindBrowser(request, asked.uid, parts.issuer);
  const { subject, rememberedFor, failure } = completed;
  if (failure !== undefined) return engine.finish(request, failure);
  if (rememberedFor !== undefined && subject !== undefined && subject !== rememberedFor)
    throw new PageError(403, 'You have signed in with another account, which has not allowed this. Connect again.', {
      subject,
    });
  if (subject === undefined) return engine.finish(request, denied('The sign-in was not completed'));
  return grantAccess(parts, engine, request, { asked, subject, isRemembered: rememberedFor !== undefined });
}

interface Allowed {
  readonly asked: SignInRequest;
  readonly subject: string;
  /** The page was not shown. */
  readonly isRemembered: boolean;
}

async function grantAccess(
  parts: Parts,
  engine: Engine,
  request: ReceivedRequest,
  { asked, subject, isRemembered }: Allowed,
): Promise<void> {
  const { clientId: client, clientName: name, redirectUri, resource } = asked;
  const account = await parts.accounts.read(subject);
  const scopes = account && (await allowedScopes(parts, account, asked));
  if (account === undefined || scopes === undefined) {
    parts.report({ type: 'denied', subject, client, reason: 'allow() does not allow it.' });
    return engine.finish(request, denied('This user may not use this client'));
  }
  await parts.accounts.update(
    subject,
    (before) => before && approved(before, client, { name, redirectUri, scopes }, Date.now()),
  );
  const refused = asked.scopes.filter((scope) => !scopes.includes(scope));
  if (parts.settings.consent === 'remember' && !isRemembered)
    await startSession(parts, request, subject, { client, redirectUri, scopes, givenAt: Date.now() });
  const grantId = await engine.grant({ subject, client, resource, scopes, refused });
  parts.report({ type: 'signed-in', subject, client });
  return engine.finish(request, { login: { accountId: subject }, consent: { grantId } });
}

/** What the user may do with the client; `undefined` if nothing. */
async function allowedScopes(
  { settings }: Parts,
  { user }: Account,
  { clientId, clientName, scopes }: SignInRequest,
): Promise<readonly string[] | undefined> {
  const answer = (await settings.allow?.(user, { id: clientId, name: clientName })) ?? true;
  if (answer === true) return scopes;
  return answer === false ? undefined : scopes.filter((scope) => answer.includes(scope));
}

const denied = (text: string) => ({ error: 'access_denied', error_description: text });
