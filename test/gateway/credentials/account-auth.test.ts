/** The credentials of a user at an upstream are those of the store, also when another node has changed them. */
import { TenonError } from 'tenon';
import { describe, expect, it } from 'vitest';
import type { AuthRefusal, ClientAuth } from '../../../src/client/http/port/client-auth.ts';
import { accountAuth, rereadMs } from '../../../src/gateway/credentials/account-auth.ts';

const url = 'https://a.example/mcp';
const request = { method: 'POST', url } as const;

/** Credentials that read the store once, as those of `oauth()`. */
function started(token?: string) {
  const stored: { token: string | undefined; isAllowed: boolean; version: number } = {
    token,
    isAllowed: true,
    version: 0,
  };
  let now = 0;
  const create = (): ClientAuth => ({
    forServer: () => {
      const { token } = stored;
      return {
        headers: () => (token === undefined ? undefined : { authorization: `Bearer ${token}` }),
        refused: async () => {
          throw new TenonError('sign-in-required', 'planted');
        },
      };
    },
  });
  const notConnected = (): TenonError => new TenonError('sign-in-required', 'Connect first.');
  const isAllowed = async (): Promise<boolean> => stored.isAllowed;
  const version = (): number => stored.version;
  const auth = accountAuth({ create, notConnected, isAllowed, version, now: () => now }).forServer(url);
  const refused = (sent?: string): Promise<boolean> => {
    const refusal: AuthRefusal = {
      ...request,
      status: 401,
      challenges: [],
      header: () => undefined,
      operation: 'tools/call',
      sent: sent === undefined ? undefined : { authorization: `Bearer ${sent}` },
      done: [],
    };
    return auth.refused(refusal, new AbortController().signal);
  };
  return { stored, auth, refused, pass: (ms: number) => void (now += ms) };
}

describe('The credentials of an account', () => {
  it('are asked for by an error of the gateway, which has nothing of the authorization server', async () => {
    const { refused } = started();
    await expect(refused()).rejects.toThrow('Connect first.');
  });

  it('are used once the user has connected, without a new connection', async () => {
    const { stored, refused, auth } = started();
    expect(await auth.headers(request)).toBeUndefined();
    stored.token = 'a';
    expect(await refused()).toBe(true);
    expect(await auth.headers(request)).toEqual({ authorization: 'Bearer a' });
  });

  it('are not sent again if the store has the ones that were refused', async () => {
    const { stored, refused } = started();
    stored.token = 'a';
    await expect(refused('a')).rejects.toThrow('Connect first.');
  });

  it('that were disconnected elsewhere are not used after half a minute', async () => {
    const { stored, auth, refused, pass } = started();
    stored.token = 'a';
    await refused();
    stored.token = undefined;
    expect(await auth.headers(request)).toEqual({ authorization: 'Bearer a' });
    pass(rereadMs + 1);
    expect(await auth.headers(request)).toBeUndefined();
  });

  it('are not used for a client that the user has not allowed, nor half a minute after another node has withdrawn it', async () => {
    const { stored, auth, pass } = started('a');
    stored.isAllowed = false;
    await expect(auth.headers(request)).rejects.toThrow('Connect first.');
    stored.isAllowed = true;
    expect(await auth.headers(request)).toEqual({ authorization: 'Bearer a' });
    stored.isAllowed = false;
    expect(await auth.headers(request)).toEqual({ authorization: 'Bearer a' });
    pass(rereadMs + 1);
    await expect(auth.headers(request)).rejects.toThrow('Connect first.');
  });

  it('are not used at once where this node has withdrawn it', async () => {
    const { stored, auth } = started('a');
    expect(await auth.headers(request)).toEqual({ authorization: 'Bearer a' });
    Object.assign(stored, { isAllowed: false, version: 1 });
    await expect(auth.headers(request)).rejects.toThrow('Connect first.');
  });
});
