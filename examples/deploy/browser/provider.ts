/** Plays the provider where users sign in, on your own machine only. */
import { startDevAuthServer } from 'tenon/dev-auth';

const { ORIGIN = 'http://127.0.0.1:3000', PROVIDER_PORT = '9000' } = process.env;
const { issuer } = await startDevAuthServer({
  port: Number(PROVIDER_PORT),
  clients: [{ client_id: 'weather', client_secret: 'secret', redirect_uris: [`${ORIGIN}/callback`] }],
});
console.log(`ready ${issuer}`);
