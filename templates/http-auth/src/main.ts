#!/usr/bin/env node
/** Serves to clients with an access token, on this machine, at the port in PORT. */
import { serveProtected } from './protected.ts';

const port = Number(process.env.PORT ?? 3000);
// RESOURCE is the URL that clients know this server by; tokens are made for it.
const { ISSUER: issuer, RESOURCE: resource = `http://127.0.0.1:${port}/mcp` } = process.env;
if (issuer === undefined) {
  console.error('Set ISSUER to the URL of the authorization server, such as http://127.0.0.1:9000 of `npm run auth`.');
  process.exit(1);
}
const service = await serveProtected({ port, issuer, resource });
console.log(`ready ${service.url}`);
