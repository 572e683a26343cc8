/** Checks how users sign in at a protected server, without a user: its metadata, and with `authorizationServer` the provider, the callback and the secret. */
import { type Challenge, readChallenges, tokenChallenge } from '../../../auth/client/discovery/challenge.ts';
import { covers, resourceMetadataPlaces } from '../../../auth/client/discovery/resource-metadata.ts';
import { serverMetadataPlaces } from '../../../auth/client/discovery/server-metadata.ts';
import { textOfPage, type VisitedPage, Visitor } from './page-visitor.ts';

/** What was found about the sign-in. */
export interface SignInFindings {
  /** Where users sign in, such as `GitHub`; the authorization server where that is not known. */
  readonly provider: string;
  /** One for each wrong setting. */
  readonly problems: readonly string[];
  /** Why the provider could not be checked. */
  readonly unchecked?: string;
}

type Document = Readonly<Record<string, unknown>>;

/** Nothing listens there: the check never gets so far. */
const redirectUri = 'http://127.0.0.1/callback';

/** What most proxies that were set up for an endpoint alone lack. */
const forward = 'Forward all paths of this host to the server, not that of MCP alone.';

/**
 * Nothing, where the settings are as clients need them and the authorization server is not one of Tenon: only that one stores
 * nothing for a new client.
 */
export async function checkSignIn(url: URL): Promise<SignInFindings | undefined> {
  const challenge = await challengeOf(url);
  const resource = await firstDocument(resourceMetadataPlaces(url.href, challenge).map((place) => place.url));
  const named = challenge?.parameters.resource_metadata;
  if (resource === undefined)
    return named === undefined ? undefined : wrong(url.origin, `There is no metadata at ${named}. ${forward}`);
  const [issuer] = Array.isArray(resource.authorization_servers) ? resource.authorization_servers : [];
  const { resource: identifier } = resource;
  if (typeof issuer !== 'string' || !URL.canParse(issuer) || typeof identifier !== 'string') return undefined;
  if (!covers(identifier, url.href))
    return wrong(
      issuer,
      `The server is protected as ${identifier}, so that clients refuse it at ${url.href}. Connect by its own URL, or set resource of protect() to this one.`,
    );
  const places = serverMetadataPlaces(issuer).map((place) => place.url);
  const metadata = await firstDocument(places);
  const isHere = new URL(issuer).origin === url.origin;
  const hint = isHere ? forward : 'Check that it runs, and issuer.';
  if (metadata === undefined)
    return wrong(issuer, `The metadata of ${issuer} cannot be read at ${places.join(' or ')}. ${hint}`);
  const provider = metadata.tenon_sign_in;
  if (typeof provider !== 'string') return undefined;
  if (metadata.issuer !== issuer)
    return wrong(provider, `The issuer at ${places[0]} is ${metadata.issuer}, not ${issuer}. Check issuer.`);
  if (metadata.registration_endpoint === undefined)
    return {
      provider,
      problems: [],
      unchecked: 'clients cannot register themselves. Call findProblems() of the authorization server instead',
    };
  return { provider, problems: await problemsOf({ metadata, provider, resource: identifier }) };
}

const wrong = (provider: string, problem: string): SignInFindings => ({ provider, problems: [problem] });

/** What the server asks for when a request comes without a token. */
async function challengeOf(url: URL): Promise<Challenge | undefined> {
  const { headers } = await new Visitor().get(url);
  const line = headers.get('www-authenticate');
  return line === null ? undefined : tokenChallenge(readChallenges([line]));
}

async function firstDocument(urls: readonly string[]): Promise<Document | undefined> {
  for (const url of urls) {
    const found = await new Visitor().json(url);
    if (found !== undefined) return found;
  }
  return undefined;
}

interface SignInServer {
  readonly metadata: Document;
  readonly provider: string;
  readonly resource: string;
}

async function problemsOf({ metadata, provider, resource }: SignInServer): Promise<string[]> {
  const issuer = String(metadata.issuer);
  // Its cookies are those of the authorization server, which may have a host of its own.
  const visitor = new Visitor();
  const client = await registeredClient(visitor, String(metadata.registration_endpoint));
  if (client === undefined)
    return [`${metadata.registration_endpoint} registers no client. ${forward} If it does, try again in a minute.`];
  const consent = await consentPage(visitor, metadata, client, resource);
  const { csrf } = consent.fields;
  if (csrf === undefined) return [problemIn(consent)];
  const answered = await visitor.post(consent.url, { csrf, answer: 'allow' });
  const atProvider = answered.location;
  if (atProvider === undefined) return [problemIn(answered)];
  const callback = atProvider.searchParams.get('redirect_uri') ?? `${issuer}/callback`;
  const shown = await new Visitor().get(atProvider);
  // A provider that does not know the client or the callback shows an error, and redirects nowhere.
  if (shown.status >= 400 && shown.status < 500 && shown.status !== 429)
    return [
      `${provider} answers ${shown.status} to the sign-in. Register ${callback} as the callback there, and check clientId and scopes.`,
    ];
  // It knows both and refuses something else: the server says what.
  if (shown.location?.searchParams.has('error') && shown.location.href.startsWith(callback))
    return [problemIn(await visitor.get(shown.location))];
  const refused = atProvider.searchParams.get('state') && (await codeProblem(visitor, atProvider, callback));
  return refused ? [refused] : [];
}

/** What no page of Tenon has: another server has answered. */
const foreign: ReadonlySet<number> = new Set([404, 502, 504]);

const problemIn = ({ url, status, html }: VisitedPage): string =>
  foreign.has(status) ? `${url.origin}${url.pathname} answers ${status}. ${forward}` : textOfPage(html);

async function registeredClient(visitor: Visitor, endpoint: string): Promise<string | undefined> {
  const client = { client_name: 'tenon doctor', redirect_uris: [redirectUri], token_endpoint_auth_method: 'none' };
  const registered = await visitor.json(endpoint, client);
  return typeof registered?.client_id === 'string' ? registered.client_id : undefined;
}

function consentPage(visitor: Visitor, metadata: Document, client: string, resource: string): Promise<VisitedPage> {
  const url = new URL(String(metadata.authorization_endpoint));
  // Never exchanged: the challenge needs no verifier.
  const request = {
    response_type: 'code',
    client_id: client,
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
  const text = problemIn(await visitor.get(url));
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
