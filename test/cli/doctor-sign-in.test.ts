/** The doctor names the wrong setting of the provider where users sign in, without a user. */
import { describe, expect, it } from 'vitest';
import { startProtected } from '../kit/auth/protected-server.ts';
import { providerSecret, type StartOptions, startSignInServer } from '../kit/auth-server/sign-in-server.ts';
import { typed } from './terminal.ts';

async function doctor(given: StartOptions = {}) {
  const server = await startSignInServer(given);
  const { out } = await typed(`tenon doctor ${server.resource}`);
  const json = await typed(`tenon doctor ${server.resource} --json`);
  return { server, out, signIn: JSON.parse(json.out).result.signIn as { readonly problems: string[] } };
}

describe('tenon doctor of a server with an authorization server of Tenon', () => {
  it('finds nothing where all is right, and changes nothing there', async () => {
    const { server, out, signIn } = await doctor();
    expect(signIn).toEqual({ provider: 'dev', problems: [] });
    expect(out).toMatch(/✗ authorize\n[\s\S]*✓ sign-in {7}dev: no wrong setting was found without a user\n$/);
    expect(server.events.map(({ type }) => type)).not.toContain('signed-in');
  });

  it('names a callback that is not registered', async () => {
    const clients = [
      { client_id: 'tenon', client_secret: providerSecret, redirect_uris: ['http://127.0.0.1:1/other'] },
    ];
    const { server, signIn } = await doctor({ provider: { clients } });
    expect(signIn.problems).toEqual([
      `dev answers 400 to the sign-in. Register ${server.issuer}/callback as the callback there, and check clientId and scopes.`,
    ]);
  });

  it('names a wrong secret', async () => {
    const refuse = async (url: string, init?: RequestInit) =>
      url.endsWith('/token') ? Response.json({ error: 'invalid_client' }, { status: 401 }) : fetch(url, init);
    const { out } = await doctor({ options: { fetch: refuse } });
    expect(out).toContain('✗ sign-in       dev refused the client ID or its secret. Check clientId and clientSecret.');
  });

  it('names scopes that the provider refuses', async () => {
    const { signIn } = await doctor({ provider: { quirks: ['refresh-by-parameter'] } });
    expect(signIn.problems).toEqual(['dev refused the scopes. Set scopes to those that it knows.']);
  });

  it('names a provider that cannot be reached, and an issuer that is wrong', async () => {
    const away = () => Promise.reject(new TypeError('fetch failed'));
    expect((await doctor({ options: { fetch: away } })).signIn.problems).toEqual([
      'dev cannot be reached. Try again later.',
    ]);
    const other = async () => Response.json({ issuer: 'https://other.example' });
    expect((await doctor({ options: { fetch: other } })).signIn.problems).toEqual([
      expect.stringMatching(/^The issuer of dev is https:\/\/other\.example, not http.* Check issuer\.$/),
    ]);
  });
});

it('registers no client at an authorization server of others', async () => {
  const { url, events } = await startProtected((resource) => ({ resources: [resource] }));
  const { out } = await typed(`tenon doctor ${url}`);
  expect(out).toContain('✗ authorize');
  expect(out).not.toContain('sign-in  ');
  expect(events).toEqual([]);
});
