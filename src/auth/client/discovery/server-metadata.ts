/** The metadata of an authorization server: RFC 8414 and OpenID Connect Discovery, in the order that MCP defines. */
import type { AuthorizationServer } from 'oauth4webapi';
import { isTexts } from '../../../lib/options/option-rules.ts';
import { isSecureUrl } from '../../secure-url.ts';
import { type Discovery, firstDocument, type Place } from './documents.ts';

const oauth = '/.well-known/oauth-authorization-server';
const openid = '/.well-known/openid-configuration';

/** Where the metadata of an issuer may be, in the order to try. */
export function serverMetadataPlaces(issuer: string): readonly Place[] {
  const { origin, pathname } = new URL(issuer);
  const path = pathname.replace(/\/$/, '');
  const places = [
    { url: `${origin}${oauth}${path}`, rule: 'RFC 8414, 3.1' },
    { url: `${origin}${openid}${path}`, rule: 'OpenID Connect Discovery, path inserted' },
  ];
  return path === ''
    ? [places[0] as Place, { url: `${origin}${openid}`, rule: 'OpenID Connect Discovery' }]
    : [...places, { url: `${origin}${path}${openid}`, rule: 'OpenID Connect Discovery, path appended' }];
}

const endpoints = [
  'authorization_endpoint',
  'token_endpoint',
  'registration_endpoint',
  'revocation_endpoint',
  'device_authorization_endpoint',
] as const;

/** The metadata in a document, or what is wrong with it. The issuer is compared as text: nothing is normalized. */
export function readServerMetadata(
  issuers: readonly string[],
  document: Record<string, unknown>,
): AuthorizationServer | { readonly problem: string; readonly rule: string } {
  const { issuer } = document;
  if (typeof issuer !== 'string' || !issuers.includes(issuer))
    return {
      problem: `Its issuer is ${typeof issuer === 'string' ? issuer : 'missing'}, not ${issuers[0]}.`,
      rule: 'RFC 8414, 3.3: the issuer must be identical',
    };
  const rule = 'RFC 8414, 2';
  if (typeof document.token_endpoint !== 'string') return { problem: 'It has no token_endpoint.', rule };
  for (const name of endpoints)
    if (document[name] !== undefined && !isSecureUrl(document[name]))
      return { problem: `Its ${name} is not an https URL.`, rule };
  for (const name of ['code_challenge_methods_supported', 'scopes_supported', 'token_endpoint_auth_methods_supported'])
    if (document[name] !== undefined && !isTexts(document[name]))
      return { problem: `Its ${name} is not a list of texts.`, rule };
  return document as unknown as AuthorizationServer;
}

const checkIssuer = 'Check authorization_servers of the MCP server, and the issuer of the authorization server.';

/** Resolves to nothing where the issuer publishes none. Rejects for metadata that must not be used. */
export async function findServerMetadata(
  discovery: Discovery,
  issuer: string,
  alsoAccepted: readonly string[] = [],
): Promise<AuthorizationServer | undefined> {
  const step = 'server-metadata';
  const { steps } = discovery;
  if (!isSecureUrl(issuer) || /[?#]/.test(issuer))
    throw steps.failure({
      step,
      url: issuer,
      found: 'The issuer is not an https URL without query and fragment.',
      rule: 'RFC 8414, 2',
      hint: checkIssuer,
    });
  const found = await firstDocument(discovery, step, serverMetadataPlaces(issuer));
  if (found === undefined) return undefined;
  const { url, rule, status, document } = found;
  const read = readServerMetadata([issuer, ...alsoAccepted], document);
  if ('problem' in read)
    throw steps.failure({ step, url, status, found: String(read.problem), rule: String(read.rule), hint: checkIssuer });
  steps.add({ step, url, status, found: `The issuer is ${read.issuer}.`, rule, next: 'use its endpoints' });
  return read;
}

/** The endpoints of servers without any metadata, as the first revision with authorization defines them: at the origin of the MCP server. */
export const defaultServerMetadata = (origin: string): AuthorizationServer => ({
  issuer: origin,
  authorization_endpoint: `${origin}/authorize`,
  token_endpoint: `${origin}/token`,
  registration_endpoint: `${origin}/register`,
  code_challenge_methods_supported: ['S256'],
});
