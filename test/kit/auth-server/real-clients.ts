/** Real clients that sign in: those of the official SDKs, old and new, and of Tenon. */

import * as v2 from '@modelcontextprotocol/client';
import { Client as V2Client, StreamableHTTPClientTransport as V2Transport } from '@modelcontextprotocol/client';
import * as v1 from '@modelcontextprotocol/sdk/client/auth.js';
import { Client as V1Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport as V1Transport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { connect } from 'tenon';
import { type OAuthClient, oauth } from 'tenon/auth';
import { createMemoryStore } from 'tenon/store';
import { expect, onTestFinished } from 'vitest';
import { replaceRecord, type StoredTokens, tokensKey } from '../../../src/auth/client/records.ts';
import { Browser } from './browser.ts';
import { redirectUri, type SignInServer } from './sign-in-server.ts';

/** What the user does with the address of an authorization request: the redirect to the client. */
async function visit(server: SignInServer, url: URL): Promise<URL> {
  const browser = new Browser();
  const page = await browser.follow(url);
  expect(page.status).toBe(200);
  const { location } = await server.answer(browser, page);
  const back = await browser.follow(await server.provider.signIn(location as URL, { user: 'ada' }));
  return back.location as URL;
}

type Stored = Record<string, unknown>;

/** What an author of a client writes for the official SDKs: everything in memory. */
class Memory {
  readonly redirectUrl = redirectUri;
  readonly clientMetadata: { redirect_uris: string[]; client_name: string; token_endpoint_auth_method: string };
  url: URL | undefined;
  #client: Stored | undefined;
  #tokens: Stored | undefined;
  #verifier = '';
  readonly clientMetadataUrl: string | undefined;
  constructor(method: string, client?: Stored, documentUrl?: string) {
    this.clientMetadataUrl = documentUrl;
    this.clientMetadata = { redirect_uris: [redirectUri], client_name: 'Official', token_endpoint_auth_method: method };
    this.#client = client;
  }
  clientInformation = () => this.#client as never;
  saveClientInformation = (client: object) => void (this.#client = client as Stored);
  tokens = () => this.#tokens as never;
  saveTokens = (tokens: object) => void (this.#tokens = tokens as Stored);
  redirectToAuthorization = (url: URL) => void (this.url = url);
  saveCodeVerifier = (verifier: string) => void (this.#verifier = verifier);
  codeVerifier = () => this.#verifier;
  #discovered: unknown;
  saveDiscoveryState = (state: unknown) => void (this.#discovered = state);
  discoveryState = () => this.#discovered as never;
}

export interface RealClient {
  /** Signs in, calls `whoami`, refreshes, calls it again: what the calls returned. */
  run(server: SignInServer): Promise<unknown[]>;
}

const call = { name: 'whoami', arguments: {} };

export const officialV1 = (method: string, client?: Stored, documentUrl?: string): RealClient => ({
  async run(server) {
    const memory = new Memory(method, client && { ...client, issuer: server.issuer }, documentUrl);
    const url = new URL(server.resource);
    const transport = new V1Transport(url, { authProvider: memory as never });
    await expect(new V1Client({ name: 'v1', version: '1' }).connect(transport)).rejects.toThrow(v1.UnauthorizedError);
    const back = await visit(server, memory.url as URL);
    await transport.finishAuth(back.searchParams.get('code') ?? '');
    const callWith = async () => {
      const one = new V1Client({ name: 'v1', version: '1' });
      await one.connect(new V1Transport(url, { authProvider: memory as never }));
      onTestFinished(() => one.close());
      return one.callTool(call);
    };
    const first = await callWith();
    expect(await v1.auth(memory as never, { serverUrl: url })).toBe('AUTHORIZED');
    return [first, await callWith()];
  },
});

export const officialV2 = (
  mode: 'legacy' | 'auto',
  method: string,
  client?: Stored,
  documentUrl?: string,
): RealClient => ({
  async run(server) {
    const memory = new Memory(method, client && { ...client, issuer: server.issuer }, documentUrl);
    const url = new URL(server.resource);
    const open = () => new V2Client({ name: 'v2', version: '1' }, { versionNegotiation: { mode } });
    const transport = new V2Transport(url, { authProvider: memory as never });
    await expect(open().connect(transport)).rejects.toThrow(v2.UnauthorizedError);
    const back = await visit(server, memory.url as URL);
    await transport.finishAuth(back.searchParams);
    const callWith = async () => {
      const one = open();
      await one.connect(new V2Transport(url, { authProvider: memory as never }));
      onTestFinished(() => one.close());
      return one.callTool(call);
    };
    const first = await callWith();
    expect(await v2.auth(memory as never, { serverUrl: url })).toBe('AUTHORIZED');
    return [first, await callWith()];
  },
});

export const tenon = (client?: Omit<OAuthClient, 'issuer'>, clientMetadataUrl?: string): RealClient => ({
  async run(server) {
    const prepare = async () => ({
      redirectUri,
      authorize: (url: URL) => visit(server, url),
      close: async () => {},
    });
    const own = {
      ...(client !== undefined && { client: { ...client, issuer: server.issuer } }),
      ...(clientMetadataUrl !== undefined && { clientMetadataUrl }),
    };
    const store = createMemoryStore().credentials;
    const callWith = async () => {
      const auth = oauth({ signIn: { prepare }, store, timeouts: { requestMs: 60_000 }, ...own });
      const one = await connect({ url: server.resource, auth });
      onTestFinished(() => one.close());
      return one.tools.call('whoami', {});
    };
    const first = await callWith();
    const key = tokensKey(server.issuer, server.resource);
    await replaceRecord(store, key, (tokens) => ({
      ...(tokens as StoredTokens),
      expiresAt: 1,
      refreshAt: 1,
    }));
    return [first, await callWith()];
  },
});

/** A client that the server knows. */
export const known = { clientId: 'cli', name: 'CLI', redirectUris: [redirectUri], clientSecret: 'k'.repeat(32) };

const secret = { client_id: known.clientId, client_secret: known.clientSecret };

/** Ten of them: each is another kind of client. */
export const realClients: Readonly<Record<string, RealClient>> = {
  'official v1, registers itself': officialV1('none'),
  'official v1, registers with a secret in the body': officialV1('client_secret_post'),
  'official v1, registers with a secret in the header': officialV1('client_secret_basic'),
  'official v1, known': officialV1('client_secret_post', secret),
  'official v2, sessions, registers itself': officialV2('legacy', 'none'),
  'official v2, newest revision, registers itself': officialV2('auto', 'none'),
  'official v2, registers with a secret': officialV2('auto', 'client_secret_basic'),
  'official v2, known': officialV2('auto', 'client_secret_post', secret),
  'Tenon, registers itself': tenon(),
  'Tenon, known': tenon({ clientId: known.clientId, clientSecret: known.clientSecret }),
};

/** What a client publishes at the URL that is its ID. */
export const clientDocument = {
  client_id: 'https://client.example/client.json',
  client_name: 'Client',
  redirect_uris: [redirectUri],
  grant_types: ['authorization_code', 'refresh_token'],
  response_types: ['code'],
  token_endpoint_auth_method: 'none',
};

/** Clients that register nowhere: they are named by their document. */
export const clientsWithDocument: Readonly<Record<string, RealClient>> = {
  'official v1': officialV1('none', undefined, clientDocument.client_id),
  'official v2': officialV2('auto', 'none', undefined, clientDocument.client_id),
  Tenon: tenon(undefined, clientDocument.client_id),
};
