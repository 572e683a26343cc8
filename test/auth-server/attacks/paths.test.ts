/** More attacks by paths and parameters that the engine reads otherwise than this server, numbered as in docs/decisions/auth-server.md. */
import { protect } from 'tenon/auth';
import { describe, expect, it } from 'vitest';
import { Browser } from '../../kit/auth-server/browser.ts';
import { startSignInServer } from '../../kit/auth-server/sign-in-server.ts';

const far = 'https://attacker.example/callback';

/** The URL of an authorization request at another path. */
function at(path: string, url: URL): URL {
  const other = new URL(url);
  other.pathname = path;
  return other;
}

describe('paths that the engine takes for the one of authorization requests', () => {
  it.each(['/authorize/', '/AUTHORIZE/', '/authorize//', '/authorize/x/', '/authorize/%2f', '/authorize/%20'])(
    '79: %s begins no sign-in, past its limits and rules',
    async (path) => {
      const server = await startSignInServer();
      const client = await server.register({ redirect_uris: [far] });
      const wrong = at(path, server.authorization(client, { redirect_uri: far, prompt: 'none' }));
      const right = at(path, server.authorization(client, { redirect_uri: far }));
      for (const url of [wrong, right]) {
        const page = await new Browser().get(url);
        expect([page.status, page.location]).toEqual([401, undefined]);
      }
      expect(server.events.some(({ type }) => type === 'authorization-requested')).toBe(false);
    },
  );

  it('80: the end of a sign-in that never was leads to no client, whichever the request names', async () => {
    const server = await startSignInServer();
    const client = await server.register({ redirect_uris: [far] });
    const page = await new Browser().get(at('/authorize/x', server.authorization(client, { redirect_uri: far })));
    expect([page.status, page.location]).toEqual([400, undefined]);
  });
});

describe('several servers of one authorization server', () => {
  async function startTwo() {
    const server = await startSignInServer();
    const other = `${server.issuer}/other`;
    protect({ issuer: server.auth, resource: other });
    return { server, other, client: await server.register() };
  }

  it('81: a request for two of them is refused: the page names one, and a token for the other would follow', async () => {
    const { server, other, client } = await startTwo();
    for (const scope of [undefined, 'files:read', 'unknown']) {
      const url = server.authorization(client, { scope });
      url.searchParams.append('resource', other);
      const { location } = await new Browser().get(url);
      expect(location?.searchParams.get('error')).toBe('invalid_target');
    }
  });

  it('82: a request for none of them is refused before the user signs in', async () => {
    const { server, client } = await startTwo();
    const { location } = await new Browser().get(server.authorization(client, { resource: undefined }));
    expect(location?.searchParams.get('error')).toBe('invalid_target');
  });

  it('the same server, written in two ways, is one', async () => {
    const { server, client } = await startTwo();
    const url = server.authorization(client);
    url.searchParams.append('resource', `${server.resource}/`);
    expect((await new Browser().follow(url)).status).toBe(200);
  });
});
