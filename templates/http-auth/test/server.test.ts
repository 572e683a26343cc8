/** Requests need a token of the authorization server, with the scope. */
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { connect, toText } from 'tenon';
import { startDevAuthServer } from 'tenon/dev-auth';
import { serveProtected } from '../src/protected.ts';

const resource = 'https://mcp.example.com/mcp';
const auth = await startDevAuthServer({ clients: [{ client_id: 'nightly', client_secret: 'secret' }] });
const service = await serveProtected({ port: 0, issuer: auth.issuer, resource });
after(async () => {
  await service.close();
  await auth.close();
});

async function authorizationFor(scope: string): Promise<string> {
  const body = new URLSearchParams({ grant_type: 'client_credentials', resource, scope });
  const headers = { authorization: `Basic ${btoa('nightly:secret')}` };
  const response = await fetch(`${auth.issuer}/token`, { method: 'POST', headers, body });
  const { access_token } = (await response.json()) as { access_token: string };
  return `Bearer ${access_token}`;
}

async function statusWith(headers: Record<string, string>): Promise<number> {
  const all = { 'content-type': 'application/json', ...headers };
  return (await fetch(service.url, { method: 'POST', headers: all, body: '{}' })).status;
}

test('a client with a token is answered', async () => {
  const client = await connect({ url: service.url, headers: { authorization: await authorizationFor('forecast') } });
  const result = await client.tools.call('forecast', { city: 'Oslo' });
  await client.close();
  assert.equal(toText(result), 'Sunny in Oslo');
});

test('a request without a token is refused', async () => {
  assert.equal(await statusWith({}), 401);
});

test('a token without the scope is refused', async () => {
  assert.equal(await statusWith({ authorization: await authorizationFor('other') }), 403);
});
