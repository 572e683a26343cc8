/** The account page: which clients act for the user, each with a button that ends it. Who is not signed in goes to the provider first. */
import { randomBytes } from 'node:crypto';
import { accountPage, signedOutPage } from '../../auth-pages/index.ts';
import type { ReceivedRequest } from '../engine/received-request.ts';
import type { Parts } from '../parts.ts';
import { checkedForm, goToProvider } from './consent.ts';
import { PageError, redirect, sendPage } from './respond.ts';
import type { StoredSignIns } from './stored-sign-ins.ts';
import { endSession, sessionOf, type UserSession } from './user-sessions.ts';

const csrfPurpose = 'account';

export async function showAccount(parts: Parts, signIns: StoredSignIns, request: ReceivedRequest): Promise<void> {
  const session = await sessionOf(parts, request);
  if (session !== undefined) return sendPage(request.response, 200, accountHtml(parts, session));
  return goToProvider(parts, signIns, request, { uid: randomBytes(16).toString('base64url'), isForAccount: true });
}

function accountHtml({ settings, secrets }: Parts, { id, account }: UserSession): string {
  const { signIn, clients, texts } = settings;
  return accountPage({
    action: '/account',
    csrf: secrets.sign(csrfPurpose, id),
    user: account.user.name ?? account.subject,
    providerName: signIn.title ?? signIn.name,
    clients: Object.entries(account.clients).flatMap(([clientId, { name, scopes, approvedAt }]) =>
      approvedAt === undefined
        ? []
        : [
            {
              id: clientId,
              name,
              scopes,
              approvedAt,
              isKnown: clients.known.some((known) => known.clientId === clientId),
            },
          ],
    ),
    texts,
  });
}

export async function changeAccount(parts: Parts, request: ReceivedRequest): Promise<void> {
  const session = await sessionOf(parts, request);
  if (session === undefined) throw new PageError(403, 'You are not signed in. Open this page again.');
  const form = checkedForm(parts, request, csrfPurpose, session.id);
  const client = form.get('revoke');
  if (client !== null) {
    const { subject } = session.account;
    if (await parts.revocations.revoke(subject, client))
      parts.report({ type: 'revoked', subject, client, reason: 'The user has removed it.' });
    return redirect(request.response, '/account');
  }
  await endSession(parts, request, session);
  sendPage(request.response, 200, signedOutPage({ texts: parts.settings.texts }));
}
