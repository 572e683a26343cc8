/** A server that asks for a token, its authorization server, and a client that signs in there. */
import { connect, type ProtocolVersion, type TenonError } from 'tenon';
import { type AuthStep, type OAuthOptions, oauth } from 'tenon/auth';
import { expect } from 'vitest';
import { alone, type Received, refuse, type Scripted, scripted } from '../http/scripted-server.ts';
import { type AuthorityOptions, type ScriptedAuthority, startScriptedAuthority } from './scripted-authority.ts';

type Json = Record<string, unknown>;

export interface Setting {
  readonly authority: ScriptedAuthority;
  readonly server: Scripted;
  readonly steps: AuthStep[];
  /** The resource metadata; a test may change it. */
  readonly metadata: Json;
  connect(options?: OAuthOptions, version?: ProtocolVersion): ReturnType<typeof connect>;
}

export const metadataPath = '/.well-known/oauth-protected-resource/mcp';

/** A server that wants a token; `more` refuses further requests. */
export async function setUp(
  challenge: (url: string) => string = () => 'Bearer',
  more: (received: Received) => unknown = () => false,
  options: AuthorityOptions = {},
): Promise<Setting> {
  const authority = await startScriptedAuthority(options);
  const steps: AuthStep[] = [];
  const metadata: Json = {};
  const server: Scripted = await scripted((received) => {
    const { path, headers, response } = received;
    if (path === metadataPath && metadata.resource !== undefined) {
      response.writeHead(200, { 'content-type': 'application/json' });
      return response.end(JSON.stringify(metadata));
    }
    if (path !== '/mcp') return refuse(response, 404);
    if (headers.authorization === undefined)
      return refuse(response, 401, undefined, { 'www-authenticate': challenge(server.origin) });
    return more(received);
  });
  Object.assign(metadata, { resource: server.url, authorization_servers: [authority.issuer] });
  return {
    authority,
    server,
    steps,
    metadata,
    connect: (options = {}, version = alone) =>
      connect(
        {
          url: server.url,
          auth: oauth({
            signIn: authority.signIn,
            explain: (step) => void steps.push(step),
            timeouts: { requestMs: 60_000 },
            ...options,
          }),
        },
        { protocolVersions: [version] },
      ),
  };
}

export const failureOf = (promise: Promise<unknown>): Promise<TenonError> =>
  promise.then(
    () => expect.unreachable('It should have failed.'),
    (error: TenonError) => error,
  );

export const scopesOf = ({ authority }: Setting): unknown[] =>
  authority.pages.map((page) => page.searchParams.get('scope'));
