/** Checks how users sign in at a server with `authorizationServer`, without a user: its provider, the callback and the secret. */
import { textOfPage, Visitor } from './page-visitor.ts';

/** What was found about the sign-in. */
export interface SignInFindings {
  /** Where users sign in, such as `GitHub`. */
  readonly provider: string;
  /** One for each wrong setting. */
  readonly problems: readonly string[];
}

type Document = Readonly<Record<string, unknown>>;

/** Nothing listens there: the check never gets so far. */
const redirectUri = 'http://127.0.0.1/callback';

/** Nothing, where the server has another authorization server: only that of Tenon stores nothing for a new client. */
export async function checkSignIn(url: URL): Promise<SignInFindings | undefined> {
  const visitor = new Visitor();
  const path = url.pathname === '/' ? '' : url.pathname;
  const resource = await visitor.json(`${url.origin}/.well-known/oauth-protected-resource${path}`);
  const [issuer] = Array.isArray(resource?.authorization_servers) ? resource.authorization_servers : [];
  if (typeof issuer !== 'string' || !URL.canParse(issuer)) return undefined;
  const metadata = await visitor.json(`${new URL(issuer).origin}/.well-known/oauth-authorization-server`);
  const provider = metadata?.tenon_sign_in;
  if (metadata === undefined || typeof provider !== 'string' || metadata.issuer !== issuer) return undefined;
  if (metadata.registration_endpoint === undefined) return { provider, problems: [] };
  return {
    provider,
    problems: await problemsOf(visitor, { metadata, provider, resource: String(resource?.resource) }),
  };
}

interface SignInServer {
  readonly metadata: Document;
  readonly provider: string;
  readonly resource: string;
}

async function problemsOf(visitor: Visitor, { metadata, provider, resource }: SignInServer): Promise<string[]> {
  const issuer = String(metadata.issuer);
  const consent = await consentPage(visitor, metadata, resource);
  const { csrf } = consent.fields;
  if (csrf === undefined) return [textOfPage(consent.html)];
  const answered = await visitor.post(consent.url, { csrf, answer: 'allow' });
  const atProvider = answered.location;
  if (atProvider === undefined) return [textOfPage(answered.html)];
  const callback = atProvider.searchParams.get('redirect_uri') ?? `${issuer}/callback`;
  const shown = await new Visitor().get(atProvider);
  // A provider that does not know the client or the callback shows an error, and redirects nowhere.
  if (shown.status >= 400 && shown.status < 500 && shown.status !== 429)
    return [
      `${provider} answers ${shown.status} to the sign-in. Register ${callback} as the callback there, and check clientId and scopes.`,
    ];
  // It knows both and refuses something else: the server says what.
  if (shown.location?.searchParams.has('error') && shown.location.href.startsWith(callback))
    return [textOfPage((await visitor.get(shown.location)).html)];
  const refused = atProvider.searchParams.get('state') && (await codeProblem(visitor, atProvider, callback));
  return refused ? [refused] : [];
}

async function consentPage(visitor: Visitor, metadata: Document, resource: string) {
  const client = { client_name: 'tenon doctor', redirect_uris: [redirectUri], token_endpoint_auth_method: 'none' };
  const registered = await visitor.json(String(metadata.registration_endpoint), client);
  const url = new URL(String(metadata.authorization_endpoint));
  // Never exchanged: the challenge needs no verifier.
  const request = {
    response_type: 'code',
    client_id: String(registered?.client_id),
    redirect_uri: redirectUri,
    code_challenge: 'x'.repeat(43),
    code_challenge_method: 'S256',
    resource,
  };
  for (const [name, value] of Object.entries(request)) url.searchParams.set(name, value);
  return visitor.follow(url);
}

/** With a code that cannot exist, a provider refuses the code if the secret is right, and the client if it is wrong. */
async function codeProblem(visitor: Visitor, atProvider: URL, callback: string): Promise<string | undefined> {
  const url = new URL(callback);
  url.searchParams.set('state', atProvider.searchParams.get('state') ?? '');
  url.searchParams.set('code', 'tenon-doctor');
  const issuer = await issuerAbove(atProvider);
  if (issuer !== undefined) url.searchParams.set('iss', issuer);
  const { html } = await visitor.get(url);
  const text = textOfPage(html);
  return /refused the code|does not belong to this sign-in/.test(text) ? undefined : text;
}

/** The issuer whose endpoint this is: its configuration is at a path above. */
async function issuerAbove(endpoint: URL): Promise<string | undefined> {
  const parts = endpoint.pathname.split('/').slice(1, maxDepth);
  for (let depth = 0; depth < parts.length; depth++) {
    const base = `${endpoint.origin}${parts
      .slice(0, depth)
      .map((part) => `/${part}`)
      .join('')}`;
    const found = await new Visitor().json(`${base}/.well-known/openid-configuration`);
    if (typeof found?.issuer === 'string' && found.authorization_endpoint === `${endpoint.origin}${endpoint.pathname}`)
      return found.issuer;
  }
  return undefined;
}

/** Deeper than the endpoint of any provider is below its issuer. */
const maxDepth = 6;
