/** What authentication costs a call over HTTP: with a cached access token, an API key, and DPoP, beside none. */
import { createServer } from 'node:http';
import { calculateJwkThumbprint, exportJWK, generateKeyPair, SignJWT } from 'jose';
import { generateApiKey } from '../../dist/auth.js';
import { canPin, onDriverCore } from '../lib/pinning.mjs';
import { compare, report } from './http.mjs';
import { loads } from './loads.mjs';

const beside = 'tenon, no authentication';
const resource = 'https://mcp.example/mcp';
const alg = 'ES256';

export const measure = (print) =>
  onDriverCore(async () => {
    print(canPin ? 'Servers run on core 0, the driver on core 1.' : 'No process is pinned to a core.');
    const issuer = await startIssuer();
    try {
      const load = { ...loads[0], title: 'tools/call, authenticated' };
      const rows = await compare(await subjects(issuer, load), beside);
      return { loads: [report(print, load, rows, beside)] };
    } finally {
      issuer.close();
    }
  });

async function subjects(issuer, load) {
  const { privateKey, publicKey } = await generateKeyPair(alg);
  const jwk = await exportJWK(publicKey);
  const bearer = await issuer.sign({});
  const bound = await issuer.sign({ cnf: { jkt: await calculateJwkThumbprint(jwk) } });
  const proofs = await Promise.all(
    Array.from({ length: load.ids }, (_, place) => proofOf(bound, privateKey, jwk, place)),
  );
  const { id, key, hash } = await generateApiKey();
  const protectedBy = (name, headers, settings) => ({
    name,
    file: 'tenon-protected',
    load: { ...load, headers },
    settings,
  });
  const { url } = issuer;
  return [
    { name: beside, file: 'tenon', load },
    { name: `${beside}, again (control)`, file: 'tenon', load },
    protectedBy('tenon, access token', () => ({ authorization: `Bearer ${bearer}` }), { issuer: url, resource }),
    protectedBy('tenon, API key', () => ({ authorization: `Bearer ${key}` }), { keys: [{ id, hash, subject: 'ada' }] }),
    protectedBy('tenon, DPoP', (n) => ({ authorization: `DPoP ${bound}`, dpop: proofs[n - 1] }), {
      issuer: url,
      resource,
      dpop: true,
    }),
  ];
}

async function proofOf(token, privateKey, jwk, place) {
  const hash = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(token));
  return new SignJWT({
    htm: 'POST',
    htu: resource,
    jti: `proof ${place}`,
    ath: Buffer.from(hash).toString('base64url'),
  })
    .setProtectedHeader({ alg, typ: 'dpop+jwt', jwk })
    .setIssuedAt()
    .sign(privateKey);
}

/** An authorization server: its metadata, its key, and tokens that it signs. */
async function startIssuer() {
  const { privateKey, publicKey } = await generateKeyPair(alg);
  const keys = [{ ...(await exportJWK(publicKey)), kid: 'one', alg }];
  const server = createServer((request, response) => {
    const isMetadata = request.url.startsWith('/.well-known/');
    response.end(JSON.stringify(isMetadata ? { issuer: url, jwks_uri: `${url}/keys` } : { keys }));
  });
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${server.address().port}`;
  return {
    url,
    close() {
      server.close();
      server.closeAllConnections();
    },
    sign: (claims) =>
      new SignJWT({ scope: 'files:read files:write', client_id: 'bench', ...claims })
        .setProtectedHeader({ alg, kid: 'one', typ: 'at+jwt' })
        .setIssuer(url)
        .setAudience(resource)
        .setSubject('ada')
        .setIssuedAt()
        .setExpirationTime('1 hour')
        .sign(privateKey),
  };
}
