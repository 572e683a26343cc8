/** An authorization server for measured servers that verify access tokens. */
import { createServer } from 'node:http';
import { exportJWK, generateKeyPair, SignJWT } from 'jose';

export const resource = 'https://mcp.example/mcp';
export const alg = 'ES256';

/** Serves its metadata and its key; `sign` makes a token with these claims. */
export async function startIssuer() {
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
