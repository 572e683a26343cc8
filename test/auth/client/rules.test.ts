/** The pure rules of the OAuth client: challenges, places of metadata, scopes, responses, options. */
import { oauth } from 'tenon/auth';
import { describe, expect, it } from 'vitest';
import { readChallenges } from '../../../src/auth/client/discovery/challenge.ts';
import { covers, resourceMetadataPlaces } from '../../../src/auth/client/discovery/resource-metadata.ts';
import { serverMetadataPlaces } from '../../../src/auth/client/discovery/server-metadata.ts';
import { readAuthorizationResponse } from '../../../src/auth/client/grants/authorization-request.ts';
import { createGuardedFetch } from '../../../src/auth/client/guarded-fetch.ts';
import { selectScopes } from '../../../src/auth/client/scopes.ts';
import { Attempts } from '../../../src/auth/client/servers/attempts.ts';
import { JoinedRun } from '../../../src/auth/client/servers/joined-run.ts';

describe('Challenges', () => {
  it.each<[string, object[]]>([
    ['Bearer', [{ scheme: 'bearer', parameters: {} }]],
    ['bearer realm="a \\"b\\", c", scope=x', [{ scheme: 'bearer', parameters: { realm: 'a "b", c', scope: 'x' } }]],
    [
      'Basic realm="x", Bearer error="invalid_token", SCOPE="a b"',
      [
        { scheme: 'basic', parameters: { realm: 'x' } },
        { scheme: 'bearer', parameters: { error: 'invalid_token', scope: 'a b' } },
      ],
    ],
    ['scope="without a scheme"', []],
    ['Bearer scope="a", scope="b"', [{ scheme: 'bearer', parameters: { scope: 'a' } }]],
    ['Bearer __proto__="a"', [{ scheme: 'bearer', parameters: { ['__proto__']: 'a' } }]],
    ['"', []],
  ])('%s are read [e-auth-67, s-auth-26]', (line, found) => {
    expect(JSON.parse(JSON.stringify(readChallenges([line])))).toEqual(JSON.parse(JSON.stringify(found)));
  });
});

describe('Metadata', () => {
  const urls = (places: readonly { url: string }[]): string[] => places.map(({ url }) => url);

  it('of an issuer with a path is looked for in three places, in order [e-auth-11, e-auth-68, e-auth-69, s-auth-29]', () => {
    expect(urls(serverMetadataPlaces('https://id.example/tenant'))).toEqual([
      'https://id.example/.well-known/oauth-authorization-server/tenant',
      'https://id.example/.well-known/openid-configuration/tenant',
      'https://id.example/tenant/.well-known/openid-configuration',
    ]);
  });

  it('of an issuer without a path is looked for in two [e-auth-70, s-auth-30]', () => {
    expect(urls(serverMetadataPlaces('https://id.example'))).toEqual([
      'https://id.example/.well-known/oauth-authorization-server',
      'https://id.example/.well-known/openid-configuration',
    ]);
  });

  it('of a server at the root is looked for once', () => {
    expect(urls(resourceMetadataPlaces('https://mcp.example/', undefined))).toEqual([
      'https://mcp.example/.well-known/oauth-protected-resource',
    ]);
  });

  it.each([
    ['https://mcp.example/mcp', true],
    ['https://mcp.example', true],
    ['https://mcp.example/', true],
    ['HTTPS://MCP.EXAMPLE/mcp', true],
    ['https://mcp.example/mc', false],
    ['https://mcp.example/mcp/other', false],
    ['https://other.example/mcp', false],
    ['http://mcp.example/mcp', false],
    ['https://mcp.example:8443/mcp', false],
    ['https://mcp.example/mcp#part', false],
    ['https://user@mcp.example/mcp', false],
    ['mcp', false],
  ])('for %s may be that of https://mcp.example/mcp: %s [e-auth-33]', (resource, isCovered) => {
    expect(covers(resource, 'https://mcp.example/mcp')).toBe(isCovered);
  });
});

describe('Scopes', () => {
  const none = { challenged: undefined, supported: undefined, before: undefined, configured: undefined, offline: true };
  it('of the user come with those of the challenge', () => {
    expect(selectScopes({ ...none, configured: ['a'], challenged: ['b'], supported: ['c'] })).toEqual([
      'a',
      'b',
      'offline_access',
    ]);
  });
  it('are left to the server where nothing names one, offline_access included', () => {
    expect(selectScopes({ ...none, challenged: [] })).toBeUndefined();
  });
});

describe('The response of an authorization server', () => {
  const sent = { state: 's1', verifier: 'v', issuer: 'https://id.example', redirectUri: 'http://127.0.0.1/callback' };
  const read = (query: string, announcesIss = false) =>
    readAuthorizationResponse(
      { issuer: sent.issuer, authorization_response_iss_parameter_supported: announcesIss },
      sent,
      new URL(`http://127.0.0.1/callback?${query}`),
    );

  it('has a code', () => {
    expect(read('code=c&state=s1')).toEqual({ code: 'c' });
    expect(read('code=c&state=s1&iss=https%3A%2F%2Fid.example', true)).toEqual({ code: 'c' });
  });

  it.each([
    ['of another issuer', 'code=c&state=s1&iss=https%3A%2F%2Fevil.example', false],
    ['with a slash more', 'code=c&state=s1&iss=https%3A%2F%2Fid.example%2F', false],
    ['in capitals', 'code=c&state=s1&iss=https%3A%2F%2FID.example', false],
    ['with the default port', 'code=c&state=s1&iss=https%3A%2F%2Fid.example%3A443', false],
    ['twice', 'code=c&state=s1&iss=https%3A%2F%2Fid.example&iss=https%3A%2F%2Fid.example', false],
    ['that is empty', 'code=c&state=s1&iss=', false],
    ['that was announced and is missing', 'code=c&state=s1', true],
    [
      'of another issuer, with an error',
      'error=x&error_description=shown&state=s1&iss=https%3A%2F%2Fevil.example',
      false,
    ],
  ])(
    'is refused for an iss %s, before its code or error is read [e-auth-24, e-auth-25, e-auth-26, e-auth-27, e-auth-28]',
    (_name, query, announced) => {
      const found = read(query, announced);
      expect(found).toMatchObject({ problem: expect.stringContaining('iss') });
      expect(JSON.stringify(found)).not.toMatch(/evil|shown/);
    },
  );

  it.each(['code=c', 'code=c&state=', 'code=c&state=s2', 'code=c&state=s1&state=s1', 'error=x&state=s2'])(
    'is refused for a missing or wrong state: %s [e-auth-111, ext-ema-21]',
    (query) => {
      expect(read(query)).toMatchObject({ problem: expect.stringContaining('state') });
    },
  );

  it('may be an error', () => {
    expect(read('error=access_denied&error_description=No&state=s1')).toEqual({
      refusal: { error: 'access_denied', description: 'No' },
    });
  });
});

describe('The fetch of the client', () => {
  const options = { timeoutMs: 1000, fetch: () => expect.unreachable('It must not be sent.') };
  it.each([
    ['http://id.example/token', 'https://mcp.example/mcp'],
    ['http://127.0.0.1:9000/token', 'https://mcp.example/mcp'],
    ['ftp://id.example/', 'http://127.0.0.1/mcp'],
    ['file:///etc/passwd', 'http://127.0.0.1/mcp'],
    ['http://localhost.evil.example/', 'http://127.0.0.1/mcp'],
  ])('does not send to %s for %s [e-auth-61, e-auth-99]', async (url, serverUrl) => {
    await expect(createGuardedFetch({ ...options, serverUrl })(url)).rejects.toThrow(/http/);
  });
});

describe('Attempts', () => {
  it('are counted for each operation, within 10 minutes [e-auth-59]', () => {
    const attempts = new Attempts(2);
    expect([attempts.admit('a', 0), attempts.admit('a', 1), attempts.admit('a', 2)]).toEqual([true, true, false]);
    expect([attempts.admit('b', 2), attempts.admit('a', 600_001)]).toEqual([true, true]);
  });
});

describe('A joined run', () => {
  it('is aborted when no caller waits for it any more, and not before', async () => {
    let own: AbortSignal | undefined;
    const run = new JoinedRun<void>((signal) => {
      own = signal;
      return new Promise(() => {});
    });
    const [first, second] = [new AbortController(), new AbortController()];
    const joined = [run.join(first.signal), run.join(second.signal)];
    first.abort(new Error('first'));
    await expect(joined[0]).rejects.toThrow('first');
    expect([own?.aborted, run.isAbandoned]).toEqual([false, false]);
    second.abort(new Error('second'));
    await expect(joined[1]).rejects.toThrow('second');
    expect([own?.aborted, run.isAbandoned]).toEqual([true, true]);
  });
});

describe('The options of oauth()', () => {
  it.each<[object, RegExp]>([
    [{ clientId: 'app' }, /Did you mean client\.clientId\?/],
    [{ scope: 'a' }, /Did you mean scopes\?/],
    [{ sigIn: {} }, /Did you mean signIn\?/],
    [{ client: { clientSecret: 'x' } }, /client\.clientId is missing/],
    [{ client: { clientId: 'app', clientSecret: 'x' } }, /client\.issuer must be set with a clientSecret/],
    [{ client: { clientId: 'app', authMethod: 'basic' } }, /client\.authMethod must be 'none'/],
    [{ client: { clientId: 'app', authMethod: 'private_key_jwt' } }, /client\.privateKey must be set/],
    [{ signIn: { redirectUri: 'http://app.example/callback' } }, /signIn must be/],
    [{ signIn: { redirectUri: 'com.example.app:/callback' } }, /signIn must be/],
    [{ signIn: { redirectUri: 'javascript:alert(1)' } }, /signIn must be/],
    [{ signIn: { redirectUri: 'https://app.example/callback#part' } }, /signIn must be/],
    [{ clientMetadataUrl: 'https://app.example' }, /clientMetadataUrl must be an https URL with a path/],
    [{ clientMetadataUrl: 'http://app.example/client.json' }, /clientMetadataUrl must be/],
    [{ store: {} }, /store must have the methods read, swap and lock/],
    [{ quirks: { pkce: 'omit' } }, /quirks\.pkce is not an option/],
    [{ limits: { maxAuthorizations: 5 } }, /limits\.maxAuthorizations is fixed at 3\./],
  ])(
    '%j are refused with the fix [e-auth-75, e-auth-76, e-auth-104, s-auth-33, s-auth-34, s-auth-84]',
    (options, text) => {
      expect(() => oauth(options)).toThrow(text);
    },
  );
});
