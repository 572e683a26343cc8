/** What authentication costs a call over HTTP: with a cached access token, an API key, and DPoP, beside none. */
import { calculateJwkThumbprint, exportJWK, generateKeyPair, SignJWT } from 'jose';
import { generateApiKey } from '../../dist/auth.js';
import { canPin, onDriverCore } from '../lib/pinning.mjs';
import { controlOf, sharesOf } from '../lib/shares.mjs';
import { compare, report } from './http.mjs';
import { alg, resource, startIssuer } from './issuer.mjs';
import { loads } from './loads.mjs';

const beside = 'tenon, no authentication';

export const measure = (print, { short }) =>
  onDriverCore(async () => {
    print(canPin ? 'Servers run on core 0, the driver on core 1.' : 'No process is pinned to a core.');
    const issuer = await startIssuer();
    try {
      const load = { ...loads[0], title: 'tools/call, authenticated' };
      const present = await subjects(issuer, load);
      const rows = await compare(present, beside, { short });
      return { loads: [report(print, load, rows, beside, { short })], shares: sharesOf(rows, present, beside) };
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
  const protectedBy = (row, headers, settings) => ({
    name: `tenon, ${row}`,
    row,
    file: 'tenon-protected',
    load: { ...load, headers },
    settings,
  });
  const { url } = issuer;
  return [
    { name: beside, file: 'tenon', load },
    { name: controlOf(beside), file: 'tenon', load },
    protectedBy('access token', () => ({ authorization: `Bearer ${bearer}` }), { issuer: url, resource }),
    protectedBy('API key', () => ({ authorization: `Bearer ${key}` }), { keys: [{ id, hash, subject: 'ada' }] }),
    protectedBy('DPoP', (n) => ({ authorization: `DPoP ${bound}`, dpop: proofs[n - 1] }), {
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
