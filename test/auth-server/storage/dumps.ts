/** Plants everything that gives access in a store, and finds what of it can be read in its bytes. */
import { encodingsOf } from '../../../src/lib/text/secret-encodings.ts';
import { type EngineNode, engineSecret } from '../../kit/auth/engine-node.ts';

/** A secret, with the name that a failure shows. */
export type Planted = readonly [name: string, secret: string];

const users = 4;

/** Ten secrets for each of four users, and those of the server. */
export async function plantSecrets(node: EngineNode): Promise<readonly Planted[]> {
  const planted: Planted[] = node.storage.keys.current().keys.map((key) => ['signing key', String(key.d)]);
  planted.push(['secret of the server', engineSecret]);
  for (let n = 0; n < users; n++) planted.push(...(await plantUser(node, `github:${n}`)));
  return planted;
}

async function plantUser(node: EngineNode, subject: string): Promise<readonly Planted[]> {
  const { rows, accounts, adapter } = node.storage;
  const canary = (name: string): string => `${name}-canary-of-${subject}-${crypto.randomUUID()}`;
  const [code, unused] = [await node.issueCode(subject), await node.issueCode(subject)];
  const first = await node.exchange(code);
  const used = first.body.refresh_token ?? '';
  const second = await node.refresh(used);
  const [providerAccess, providerRefresh] = [canary('provider-access'), canary('provider-refresh')];
  const tokens = { accessToken: providerAccess, refreshToken: providerRefresh, scopes: ['read:user'] };
  await accounts.update(subject, (account) => account && { ...account, tokens });
  const [state, nonce] = [canary('state'), canary('nonce')];
  await rows.write('SignIn', state, { nonce }, { expiresInMs: 600_000 });
  const [session, interaction] = [canary('session'), canary('interaction')];
  await adapter('Session').upsert(session, { jti: session, uid: canary('uid') }, 600);
  await adapter('Interaction').upsert(interaction, { jti: interaction, returnTo: `/authorize/${interaction}` }, 600);
  return [
    ['authorization code', unused.code],
    ['used refresh token', used],
    ['refresh token', second.body.refresh_token ?? ''],
    ['access token', second.body.access_token ?? ''],
    ['access token of the provider', providerAccess],
    ['refresh token of the provider', providerRefresh],
    ['state', state],
    ['nonce', nonce],
    ['session', session],
    ['interaction', interaction],
  ];
}

/** The names of the secrets that can be read in the bytes, as they are or encoded. */
export const readableIn = (bytes: string, planted: readonly Planted[]): readonly string[] =>
  planted
    .filter(([, secret]) => [secret, ...encodingsOf(secret)].some((text) => bytes.includes(text)))
    .map(([name]) => name);
