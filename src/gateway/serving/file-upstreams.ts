/** Makes the upstreams of `createGateway()` from those of a file. What a file has not changed stays the same object. */
import { createHash } from 'node:crypto';
import { messageWithoutHint, TenonError } from '../../lib/errors/tenon-error.ts';
import { canonicalJson } from '../../lib/text/canonical-json.ts';
import { stampOf } from '../../node/guard/read-policy.ts';
import { loadOpenApi } from '../../openapi/document/load-open-api.ts';
import { openapiServer } from '../../openapi/openapi-server.ts';
import { configError } from '../config/config-document.ts';
import type { GatewayConfig } from '../config/read-config.ts';
import type { Secrets } from '../config/secrets-file.ts';
import { fileOnly } from '../config/upstream-options.table.ts';
import type { FileUpstream } from '../config/upstream-options.ts';
import { upstreamAuth } from '../credentials/upstream-auth.ts';
import type { UpstreamOptions, Upstreams } from '../types.ts';

interface Made {
  readonly digest: string;
  readonly options: UpstreamOptions;
}

export class FileUpstreams {
  #made: ReadonlyMap<string, Made> = new Map();

  /** Throws with the line of the upstream that cannot be made. Nothing is connected or started. */
  async read({ document, upstreams, member, secrets }: GatewayConfig): Promise<Upstreams> {
    const next = new Map<string, Made>();
    for (const [name, entry] of Object.entries(upstreams)) {
      const digest = await digestOf(entry, secrets);
      const before = this.#made.get(name);
      try {
        next.set(name, before?.digest === digest ? before : { digest, options: await optionsOf(entry, secrets) });
      } catch (error) {
        if (!(error instanceof TenonError)) throw error;
        const place = `${member}.${name}${entry.openapi === undefined ? '' : '.openapi'}`;
        const problem = { place, text: messageWithoutHint(error), hint: error.hint ?? '' };
        throw configError([document.problemAt(problem)], error);
      }
    }
    this.#made = next;
    return Object.fromEntries([...next].map(([name, { options }]) => [name, options]));
  }
}

/** Of all that an upstream is made of: its entry, the secret it names, and the document it is read from. */
async function digestOf(entry: FileUpstream, secrets: Secrets): Promise<string> {
  const { auth, openapi } = entry;
  const secret = typeof auth?.secret === 'string' ? secrets.get(auth.secret) : undefined;
  const document = openapi === undefined ? undefined : await stampOf(openapi);
  return createHash('sha256').update(canonicalJson([entry, secret ?? null, document ?? null])).digest('hex');
}

async function optionsOf(entry: FileUpstream, secrets: Secrets): Promise<UpstreamOptions> {
  const { openapi, auth, headers, ...others } = entry;
  const given = Object.fromEntries(Object.entries(others).filter(([name]) => !Object.hasOwn(fileOnly, name)));
  const credentials = auth && upstreamAuth(auth, entry.url ?? entry.baseUrl, secrets);
  if (openapi === undefined) return { ...given, ...(headers && { headers }), ...(credentials && { auth: credentials }) };
  const { baseUrl, include, exclude, allowedNetworks } = entry;
  const server = openapiServer(await loadOpenApi(openapi), {
    ...(baseUrl !== undefined && { baseUrl }),
    ...(include && { include }),
    ...(exclude && { exclude }),
    ...(allowedNetworks && { allowedNetworks }),
    ...(headers && { headers }),
    ...(credentials && { auth: credentials }),
  });
  return { ...given, server };
}
