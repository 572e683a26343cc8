/** Sign-in and consent: shows the page that a request needs, and gives the answer to oidc-provider. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Grant, Interaction, Provider } from 'oidc-provider';
import { pageHeaders } from '../auth-pages/page.ts';
import type { DevAuthEvent } from './events.ts';
import { type Consent, consentPage, errorPage, signInPage } from './html.ts';
import { isLoopbackUrl } from './loopback.ts';

/** Where the pages are. */
export const interactionPath = '/interaction/';

/**
 * Bytes of a form of a page.
 * @limit dev-auth
 * @beyond the sign-in fails
 */
const maxFormBytes = 4096;

type Handler = (request: IncomingMessage, response: ServerResponse) => Promise<void>;

export function createInteractions(
  provider: Provider,
  users: readonly string[],
  onEvent: (event: DevAuthEvent) => void,
): Handler {
  const show = async (action: string, interaction: Interaction, response: ServerResponse): Promise<void> => {
    const client = await nameOf(provider, interaction);
    const isSignIn = interaction.prompt.name === 'login';
    sendPage(
      response,
      200,
      isSignIn ? signInPage(action, client, users) : consentPage(action, consentOf(client, interaction)),
    );
  };

  const answer = async (
    request: IncomingMessage,
    response: ServerResponse,
    interaction: Interaction,
    form: URLSearchParams,
  ): Promise<void> => {
    const finish = (result: unknown, mergeWithLastSubmission: boolean) =>
      provider.interactionFinished(request, response, result, { mergeWithLastSubmission });
    const user = form.get('user') ?? '';
    if (interaction.prompt.name === 'login') {
      if (!users.includes(user))
        return sendPage(response, 400, errorPage('Unknown user', 'Go back and choose another.'));
      return finish({ login: { accountId: user } }, false);
    }
    const isAllowed = form.get('consent') === 'allow';
    const client = interaction.params.client_id ?? '';
    onEvent({ type: isAllowed ? 'authorized' : 'denied', client, user: interaction.session?.accountId ?? '' });
    if (!isAllowed) return finish({ error: 'access_denied', error_description: 'The user denied access' }, false);
    return finish({ consent: { grantId: await grantOf(provider, interaction) } }, true);
  };

  return async (request, response) => {
    try {
      const interaction = await provider.interactionDetails(request, response);
      if (request.method === 'GET') return await show(request.url ?? '', interaction, response);
      if (request.method !== 'POST') return sendPage(response, 405, errorPage('Method not allowed', ''));
      return await answer(request, response, interaction, await readForm(request));
    } catch (error) {
      if (response.headersSent) return void response.destroy();
      sendPage(
        response,
        400,
        errorPage('This sign-in is over', `Start again at the client. (${(error as Error).message})`),
      );
    }
  };
}

async function nameOf(provider: Provider, { params }: Interaction): Promise<string> {
  const id = params.client_id ?? '';
  return (await provider.Client.find(id))?.clientName ?? id;
}

function consentOf(client: string, { prompt, session, params }: Interaction): Consent {
  const { missingOIDCScope = [], missingResourceScopes = {} } = prompt.details;
  const scopes = [...missingOIDCScope, ...Object.values(missingResourceScopes).flat()];
  const { redirect_uri: target, resource = [] } = params;
  const redirect = target === undefined ? undefined : { host: new URL(target).host, isLocal: isLoopbackUrl(target) };
  return { client, user: session?.accountId ?? '', resources: [resource].flat(), scopes, redirect };
}

/** Grants all that is asked for, beside what was granted before. */
async function grantOf(provider: Provider, { grantId, session, params, prompt }: Interaction): Promise<string> {
  const owner = { accountId: session?.accountId ?? '', clientId: params.client_id ?? '' };
  const known = grantId === undefined ? undefined : await provider.Grant.find(grantId);
  const grant: Grant = known ?? new provider.Grant(owner);
  const { missingOIDCScope, missingOIDCClaims, missingResourceScopes = {} } = prompt.details;
  if (missingOIDCScope !== undefined) grant.addOIDCScope(missingOIDCScope.join(' '));
  if (missingOIDCClaims !== undefined) grant.addOIDCClaims(missingOIDCClaims);
  for (const [resource, scopes] of Object.entries(missingResourceScopes))
    grant.addResourceScope(resource, scopes.join(' '));
  return grant.save();
}

async function readForm(request: IncomingMessage): Promise<URLSearchParams> {
  let text = '';
  for await (const chunk of request) {
    text += String(chunk);
    if (text.length > maxFormBytes) throw new Error('the form is too large');
  }
  return new URLSearchParams(text);
}

function sendPage(response: ServerResponse, status: number, html: string): void {
  response.writeHead(status, pageHeaders);
  response.end(html);
}
