/** Tokens of a real authorization server (oidc-provider): JWTs and opaque ones, as bearer tokens and bound to a key. */
import { tool } from 'tenon';
import { protect } from 'tenon/auth';
import { expect, it } from 'vitest';
import { startAuth } from '../kit/auth/dev-auth.ts';
import { makeProof, newProofKey } from '../kit/auth/dpop.ts';
import { resource } from '../kit/auth/issuer.ts';
import { loneCall } from '../kit/http/messages.ts';
import { send } from '../kit/http/raw-http.ts';
import { serve } from '../kit/http/sample-server.ts';

const client = { client_id: 'worker', client_secret: 'a secret of the worker' };
const basic = `Basic ${Buffer.from('worker:a+secret+of+the+worker').toString('base64')}`;

it.each([
  ['jwt', 'Bearer'],
  ['jwt', 'DPoP'],
  ['opaque', 'Bearer'],
  ['opaque', 'DPoP'],
] as const)('an access token in the form %s is accepted as a %s token [ext-dpop-02]', async (accessTokens, scheme) => {
  const { server, metadata } = await startAuth({ accessTokens, clients: [client] });
  const key = await newProofKey();
  const endpoint = String(metadata.token_endpoint);
  const dpop = await makeProof(key, '', { htu: endpoint, ath: undefined } as never);
  const response = await fetch(endpoint, {
    method: 'POST',
    headers: { authorization: basic, ...(scheme === 'DPoP' && { dpop }) },
    body: new URLSearchParams({ grant_type: 'client_credentials', scope: 'read', resource }),
  });
  const issued = (await response.json()) as { access_token: string; token_type: string };
  expect(issued).toMatchObject({ token_type: scheme });
  const token = issued.access_token;
  expect(token.split('.')).toHaveLength(accessTokens === 'jwt' ? 3 : 1);

  const introspection = { clientId: client.client_id, clientSecret: client.client_secret };
  const authenticate = protect({
    issuer: { issuer: server.issuer, introspection },
    resource,
    scopes: ['read'],
    dpop: 'optional',
  });
  const tools = { whoami: tool({}, (_given, { caller }) => String(caller.principal?.subject)) };
  const served = await serve({ authenticate }, {}, { tools });
  const call = async (headers: Record<string, string>) => {
    const sent = loneCall('whoami');
    return send(served.url, { ...sent, headers: { ...sent.headers, ...headers } });
  };
  const proven = { authorization: `DPoP ${token}`, dpop: await makeProof(key, token) };
  const answer = await call(scheme === 'DPoP' ? proven : { authorization: `Bearer ${token}` });
  expect(answer.json).toMatchObject({ result: { content: [{ text: 'worker' }] } });
  const misused = await call(scheme === 'DPoP' ? { authorization: `Bearer ${token}` } : proven);
  expect(misused.status).toBe(401);
});
