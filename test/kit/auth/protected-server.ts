/** A server protected by the development authorization server, and a person who signs in at once. */
import { createServer as createHttpServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createServer, toNodeHandler, tool } from 'tenon';
import { type AuthStep, type OAuthOptions, oauth, type ProtectOptions, protect, type SignIn } from 'tenon/auth';
import type { DevAuthOptions, VisitOptions } from 'tenon/dev-auth';
import { onTestFinished } from 'vitest';
import { redirectUri, startAuth } from './dev-auth.ts';

export interface ProtectedServer extends Awaited<ReturnType<typeof startAuth>> {
  readonly url: string;
  /** The headers of all requests. */
  readonly received: string[];
  /** How often a person was asked to sign in. */
  readonly signIns: URL[];
  readonly steps: AuthStep[];
  readonly signIn: SignIn;
  /** What the person does. */
  visitor: VisitOptions;
  /** The option `auth`, with a person who signs in. */
  auth(options?: OAuthOptions): ReturnType<typeof oauth>;
}

/** Both servers are closed at the end of the test. `given` may need the URL of the server; `protection` is for `protect`. */
export async function startProtected(
  given: (url: string) => DevAuthOptions = () => ({}),
  protection: Partial<ProtectOptions> = {},
): Promise<ProtectedServer> {
  let handler: (request: IncomingMessage, response: ServerResponse) => unknown = () => {};
  const received: string[] = [];
  const http = createHttpServer((request, response) => {
    received.push(request.rawHeaders.join('\n'));
    void handler(request, response);
  });
  await new Promise<void>((resolve) => http.listen(0, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${(http.address() as AddressInfo).port}/mcp`;
  const authority = await startAuth(given(url));
  const server = createServer({
    name: 'protected',
    version: '1',
    tools: {
      whoami: tool({}, (_given, { caller }) => String(caller.principal?.subject)),
      write: tool({ scopes: ['files:write'] }, () => 'written'),
    },
  });
  const { issuer } = authority.server;
  const authenticate = protect({ issuer, resource: url, scopesSupported: ['files:read'], ...protection });
  const served = toNodeHandler(server, { authenticate });
  handler = served;
  onTestFinished(async () => {
    await served.close();
    http.closeAllConnections();
    http.close();
  });
  const signIns: URL[] = [];
  const steps: AuthStep[] = [];
  const signIn: SignIn = {
    async prepare() {
      return {
        redirectUri,
        async authorize(page) {
          signIns.push(page);
          return authority.server.signIn(page, started.visitor);
        },
        async close() {},
      };
    },
  };
  const started: ProtectedServer = {
    ...authority,
    url,
    received,
    signIns,
    steps,
    signIn,
    visitor: {},
    auth: (options = {}) =>
      oauth({
        signIn,
        explain: (step) => void steps.push(step),
        ...options,
        // No test is about an authorization server that is slow, which it may be on a busy machine.
        timeouts: { requestMs: 60_000, ...options.timeouts },
      }),
  };
  return started;
}
