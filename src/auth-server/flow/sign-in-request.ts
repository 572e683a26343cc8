/** What a client has asked for, as the pages and the grant need it. */
import type { Interaction } from 'oidc-provider';
import { escapeControls } from '../../lib/text/control-characters.ts';
import { isLoopbackUri } from '../clients/redirect-uris.ts';
import type { Engine } from '../engine/engine.ts';
import type { ReceivedRequest } from '../engine/received-request.ts';
import type { Parts } from '../parts.ts';
import { PageError } from './respond.ts';

/** A sign-in in progress. */
export interface SignInRequest {
  readonly uid: string;
  readonly clientId: string;
  readonly clientName: string;
  /** The host of the metadata document of the client. */
  readonly clientHost: string | undefined;
  /** Whether the client was registered by the author of this server: others choose their names. */
  readonly isKnown: boolean;
  readonly redirectUri: string;
  /** Whether all redirect URIs of the client are on the computer of the user. */
  readonly isLoopbackOnly: boolean;
  readonly resource: string;
  readonly scopes: readonly string[];
}

/** Throws a page where the browser has no cookie of this sign-in, or it is over. */
export async function signInRequestOf(parts: Parts, engine: Engine, request: ReceivedRequest): Promise<SignInRequest> {
  const uid = uidIn(request.path);
  const interaction = await engine.interaction(request).catch((cause: unknown) => {
    throw isNotFound(cause) ? over(cause) : cause;
  });
  // The cookie names the sign-in, and has its path.
  if (interaction.uid !== uid) throw over();
  return describe(parts, engine, interaction);
}

/** `/consent/UID` and what is below it. */
export const uidIn = (path: string): string => path.split('/')[2] ?? '';

/** Where a sign-in ends, after the provider. */
export const donePath = (uid: string): string => `/consent/${uid}/done`;

const isNotFound = (error: unknown): boolean => (error as { readonly name?: unknown }).name === 'SessionNotFound';

const over = (cause?: unknown): PageError =>
  new PageError(
    400,
    'This sign-in is over, or it was begun in another browser. Go back to your application and connect again.',
    { cause },
  );

/** Characters that reorder text could make one name look like another; one without a visible character is none. */
const nameOf = (name = ''): string | undefined =>
  visible.test(name) ? escapeControls(name.replace(stacked, '$1')) : undefined;

/** Some letters are not shown, such as the Hangul filler, nor is the empty Braille pattern. */
const visible = /(?![\p{Default_Ignorable_Code_Point}\u2800])[\p{L}\p{N}\p{P}\p{S}]/u;

/** No writing needs more marks on one letter; dozens would cover the lines above and below. */
const stacked = /(\p{M}{4})\p{M}+/gu;

async function describe(parts: Parts, engine: Engine, { uid, params }: Interaction): Promise<SignInRequest> {
  const { client_id: clientId = '', redirect_uri: redirectUri = '', resource = '', scope } = params;
  const client = await engine.client(clientId);
  // A metadata document may have changed since the request.
  if (client === undefined || !client.redirectUriAllowed(redirectUri)) throw over();
  const host = clientId.startsWith('https:') ? new URL(clientId).host : undefined;
  return {
    uid,
    clientId,
    clientName: nameOf(client.clientName) ?? host ?? 'An application without a name',
    clientHost: host,
    isKnown: parts.settings.clients.known.some((known) => known.clientId === clientId),
    redirectUri,
    isLoopbackOnly: client.redirectUris.every(isLoopbackUri),
    resource,
    scopes: (scope ?? '').split(' ').filter((one) => parts.resources.scopes.includes(one)),
  };
}
