/** What a user reads when an authorization fails: the step, what was found, and what to change. */
import { createServer as createHttpServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { connect, type TenonError } from 'tenon';
import { deviceCode, type OAuth, oauth, type SignIn, terminalSignIn } from 'tenon/auth';
import { describe, expect, it, onTestFinished } from 'vitest';
import { memoryCredentials } from '../../../src/store/parts/memory-credentials.ts';
import { startProtected } from '../../kit/auth/protected-server.ts';

const failureOf = (url: string, auth: OAuth): Promise<TenonError> =>
  connect({ url, auth }).then(
    () => expect.unreachable('It should have failed.'),
    (error: TenonError) => error,
  );

/** A server that answers every request to `/mcp` with 401, and everything else as `listener` does. */
async function startRefusing(listener: RequestListener): Promise<string> {
  const http = createHttpServer((request, response) => {
    if (request.url?.startsWith('/mcp')) response.writeHead(401).end();
    else listener(request, response);
  });
  await new Promise<void>((resolve) => http.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    http.closeAllConnections();
    http.close();
  });
  return `http://127.0.0.1:${(http.address() as AddressInfo).port}/mcp`;
}

describe('A failure of signIn', () => {
  it('is one of the authorization, and asks the person once', async () => {
    const server = await startProtected();
    const pages: URL[] = [];
    const signIn = terminalSignIn({ openBrowser: false, timeoutMs: 20, onUrl: (url) => void pages.push(url) });
    const error = await failureOf(server.url, server.auth({ signIn }));
    expect(error).toMatchObject({ code: 'authorization-failed', details: { step: 'authorization' } });
    expect(error.message).toContain('The sign-in was not finished within 20 ms. Sign in again');
    expect(pages).toHaveLength(1);
  });

  it.each([
    ['throws', () => expect.unreachable('no screen')],
    ['rejects', async () => Promise.reject(new Error('no screen'))],
  ])('is named where its callback %s', async (_how, onUrl) => {
    const server = await startProtected();
    const signIn = terminalSignIn({ openBrowser: false, onUrl });
    const error = await failureOf(server.url, server.auth({ signIn }));
    expect(error).toMatchObject({ code: 'authorization-failed', details: { step: 'authorization' } });
    expect(String(error.cause)).toContain('no screen');
  });

  it.each(['http://app.example/callback', 'com.example.app:/callback', 'http://127.0.0.1:1/callback#part', ''])(
    'is a redirect address that is neither https nor on this machine: %j, before anything is registered [s-auth-84, e-auth-104]',
    async (redirectUri) => {
      const server = await startProtected();
      let isClosed = false;
      const close = async (): Promise<void> => void (isClosed = true);
      const authorize = async (): Promise<URL> => expect.unreachable('No page is shown.');
      const signIn: SignIn = { prepare: async () => ({ redirectUri, authorize, close }) };
      const error = await failureOf(server.url, server.auth({ signIn }));
      expect(error).toMatchObject({ code: 'authorization-failed', details: { step: 'authorization' } });
      expect(error.message).toContain('http://127.0.0.1:8765/callback');
      expect(server.steps.map(({ step }) => step)).not.toContain('registration');
      expect(isClosed).toBe(true);
    },
  );

  it('is named where no code can be shown', async () => {
    const server = await startProtected();
    const grant = deviceCode({ onCode: async () => Promise.reject(new Error('no screen')) });
    const error = await failureOf(server.url, server.auth({ grant }));
    expect(error).toMatchObject({ code: 'authorization-failed', details: { step: 'authorization' } });
    expect(String(error.cause)).toContain('no screen');
  });
});

describe('A store that fails', () => {
  it('is no server that does not answer', async () => {
    const server = await startProtected();
    const store = memoryCredentials({ lockTimeoutMs: 20 });
    await store.lock(JSON.stringify(['tokens', server.server.issuer, server.url]));
    const error = await failureOf(server.url, server.auth({ store }));
    expect(error).toMatchObject({ code: 'authorization-failed', cause: { code: 'timeout' } });
    expect(error.message).toContain('The lock was not released within 20 ms. Another caller or process holds it.');
    expect(server.signIns).toEqual([]);
  });

  it('keeps the cause of an error that is not one of Tenon', async () => {
    const server = await startProtected();
    const store = { ...memoryCredentials(), read: async () => Promise.reject(new Error('disk')) };
    expect(await failureOf(server.url, server.auth({ store }))).toMatchObject({
      code: 'authorization-failed',
      cause: { message: 'disk' },
    });
  });
});

describe('Metadata that cannot be read now', () => {
  it.each([429, 502, 503, 504])('fails the step, and leads to no other server: %i', async (status) => {
    const paths: (string | undefined)[] = [];
    const url = await startRefusing((request, response) => {
      paths.push(request.url);
      response.writeHead(status).end();
    });
    const error = await failureOf(url, oauth());
    expect(error).toMatchObject({ code: 'authorization-failed', details: { step: 'resource-metadata' } });
    expect(error.message).toContain(`It answered ${status}. Check that it can be reached`);
    expect(paths.filter((path) => !path?.startsWith('/.well-known/oauth-protected-resource'))).toEqual([]);
  });

  it('names an authorization server that cannot be reached', async () => {
    const issuer = 'http://127.0.0.1:1';
    const server = await startProtected(undefined, { issuer });
    const error = await failureOf(server.url, server.auth());
    expect(error).toMatchObject({ code: 'authorization-failed', details: { step: 'server-metadata' } });
    expect(error.message).toContain('It cannot be reached');
  });

  it('is looked for at the old places where there is none, and the hint says so', async () => {
    const url = await startRefusing((_request, response) => void response.writeHead(404).end());
    const signIn = terminalSignIn({ openBrowser: false });
    const error = await failureOf(url, oauth({ signIn }));
    expect(error).toMatchObject({ details: { step: 'registration' }, hint: expect.stringContaining('RFC 9728') });
  });
});

describe('A step', () => {
  it('drives no terminal, whatever a server says, and a callback that rejects changes nothing', async () => {
    const url = await startRefusing((request, response) => {
      if (request.method !== 'POST') return void response.writeHead(404).end();
      const description = `\u001b[2J${'x'.repeat(5000)}`;
      response.writeHead(400).end(JSON.stringify({ error: 'invalid_client_metadata', error_description: description }));
    });
    const found: string[] = [];
    const explain = async (step: { found: string }): Promise<void> => {
      found.push(step.found);
      throw new Error('no log');
    };
    const error = await failureOf(url, oauth({ signIn: terminalSignIn({ openBrowser: false }), explain }));
    expect(error.message).toContain('\\u001b[2J');
    for (const text of found) {
      expect(text).not.toContain('\u001b');
      expect(text.length).toBeLessThan(1100);
    }
  });
});
