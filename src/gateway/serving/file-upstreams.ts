/** Makes the upstreams of `createGateway()` from those of a file. What a file has not changed stays the same object. */
import { createHash } from 'node:crypto';
import { messageWithoutHint, TenonError } from '../../lib/errors/tenon-error.ts';
import { canonicalJson } from '../../lib/text/canonical-json.ts';
import { stampOf } from '../../node/guard/read-policy.ts';
import { loadOpenApi } from '../../openapi/document/load-open-api.ts';
import { openapiServer } from '../../openapi/openapi-server.ts';
import { configError } from '../config/config-document.ts';
import { exchangeIssuer } from '../config/cross-checks.ts';
import type { GatewayConfig } from '../config/read-config.ts';
import type { Secrets } from '../config/secrets-file.ts';
import { fileOnly } from '../config/upstream-options.table.ts';
import type { FileAuth, FileUpstream } from '../config/upstream-options.ts';
import type { Accounts, AccountUpstream } from '../credentials/accounts.ts';
import type { Exchanges } from '../credentials/exchanges.ts';
import { guardedFetch, upstreamAuth } from '../credentials/upstream-auth.ts';
import type { UpstreamOptions, Upstreams } from '../types.ts';

interface Made {
  readonly digest: string;
  readonly options: UpstreamOptions;
  /** Where each user has an account. */
  readonly account: AccountUpstream | undefined;
}

export interface ReadUpstreams {
  readonly upstreams: Upstreams;
  readonly accounts: readonly AccountUpstream[];
}

/** Where upstreams get the credentials of users from. */
export interface UserCredentials {
  /** Absent without the page where accounts are connected. */
  readonly accounts: Accounts | undefined;
  readonly exchanges: Exchanges;
}

export class FileUpstreams {
  readonly #users: UserCredentials;
  #made: ReadonlyMap<string, Made> = new Map();

  constructor(users: UserCredentials) {
    this.#users = users;
  }

  /** Throws with the line of the upstream that cannot be made. Nothing is connected or started. */
  async read({ document, upstreams, member, secrets, content }: GatewayConfig): Promise<ReadUpstreams> {
    const next = new Map<string, Made>();
    for (const [name, entry] of Object.entries(upstreams)) {
      const issuer = entry.auth?.type === 'token-exchange' ? exchangeIssuer(content, entry.auth) : '';
      const digest = await digestOf(entry, secrets, issuer);
      const before = this.#made.get(name);
      try {
        next.set(
          name,
          before?.digest === digest ? before : { digest, ...(await this.#make(name, entry, secrets, issuer)) },
        );
      } catch (error) {
        if (!(error instanceof TenonError)) throw error;
        const place = `${member}.${name}${entry.openapi === undefined ? '' : '.openapi'}`;
        const problem =
          error.code === 'file-not-found'
            ? {
                text: `There is no file ${entry.openapi}.`,
                hint: 'Check the path: it is relative to the folder of this file.',
              }
            : { text: messageWithoutHint(error), hint: error.hint ?? '' };
        throw configError([document.problemAt({ place, ...problem })], error);
      }
    }
    this.#made = next;
    return {
      upstreams: Object.fromEntries([...next].map(([name, { options }]) => [name, options])),
      accounts: [...next.values()].flatMap(({ account }) => (account === undefined ? [] : [account])),
    };
  }

  async #make(name: string, entry: FileUpstream, secrets: Secrets, issuer: string): Promise<Omit<Made, 'digest'>> {
    const { url, auth } = entry;
    const { accounts, exchanges } = this.#users;
    if (auth?.type === 'token-exchange' && url !== undefined) {
      const exchanged = exchanges.authFor({
        name,
        url,
        issuer,
        clientId: auth.clientId as string,
        clientSecret: secrets.get(auth.secret as string) ?? '',
        audience: auth.audience as string | undefined,
        scopes: auth.scopes as readonly string[] | undefined,
        fetch: guardedFetch([url, issuer]),
      });
      return { options: { ...givenOf(entry), auth: exchanged }, account: undefined };
    }
    if (auth?.type !== 'oauth' || url === undefined)
      return { options: await optionsOf(entry, secrets), account: undefined };
    const account = { name, url, auth, secrets, fetch: guardedFetch([url, auth.issuer as string | undefined]) };
    if (accounts === undefined) throw withoutPage(name);
    return { options: { ...givenOf(entry), auth: accounts.authFor(account) }, account };
  }
}

/** Of all that an upstream is made of: its entry, the secret it names, the document it is read from, whose tokens are exchanged. */
async function digestOf(entry: FileUpstream, secrets: Secrets, issuer: string): Promise<string> {
  const { auth, openapi } = entry;
  const secret = typeof auth?.secret === 'string' ? secrets.get(auth.secret) : undefined;
  const document = openapi === undefined ? undefined : await stampOf(openapi);
  return createHash('sha256')
    .update(canonicalJson([entry, secret ?? null, document ?? null, issuer]))
    .digest('hex');
}

/** What `createGateway()` takes as it is. */
const givenOf = (entry: FileUpstream): UpstreamOptions =>
  Object.fromEntries(Object.entries(entry).filter(([name]) => !Object.hasOwn(fileOnly, name)));

async function optionsOf(entry: FileUpstream, secrets: Secrets): Promise<UpstreamOptions> {
  const { openapi, auth, url } = entry;
  const credentials = auth && upstreamAuth(auth as FileAuth, url ?? entry.baseUrl, secrets);
  if (openapi === undefined) return { ...givenOf(entry), ...(credentials && { auth: credentials }) };
  const { baseUrl, include, exclude, allowedNetworks, headers } = entry;
  const server = openapiServer(await loadOpenApi(openapi), {
    ...(baseUrl !== undefined && { baseUrl }),
    ...(include && { include }),
    ...(exclude && { exclude }),
    ...(allowedNetworks && { allowedNetworks }),
    ...(headers && { headers }),
    ...(credentials && { auth: credentials }),
  });
  const { headers: _, ...given } = givenOf(entry);
  return { ...given, server };
}

/** The page exists from the start of a gateway on. */
const withoutPage = (name: string): TenonError =>
  new TenonError('invalid-argument', `The upstream "${name}" needs connect, which is not the one that runs.`, {
    hint: 'Restart the gateway.',
  });
