/** Refreshes that can be repeated: an identical request gets the identical response, on any node. */
import { createHash } from 'node:crypto';
import type { SealedRow, SealedRows } from './sealed-rows.ts';

/**
 * Refreshes that can be repeated. A client that got no answer sends its request again, perhaps to another node, and must
 * neither lose its access nor get a second one.
 *
 * Every attempt runs in the engine until it has its response. Then it stores the response and marks the refresh token as
 * used by it, if the token still has the version that was found: that one write decides. Who is second discards its own
 * tokens: an identical request gets the stored response, any other ends the grant. A node that dies before that write has
 * changed nothing; one that dies after it has left the response for the next attempt.
 */

/** What oidc-provider stores of a model. */
export type Payload = Readonly<Record<string, unknown>> & {
  readonly grantId?: string;
  readonly accountId?: string;
  readonly clientId?: string;
  readonly uid?: string;
  readonly exp?: number;
  /** When it was used, in seconds since the Unix epoch. */
  readonly consumed?: number;
};

/** A request inside oidc-provider. */
export interface EngineContext {
  readonly method: string;
  status: number;
  body: unknown;
  get(header: string): string;
  readonly oidc: { readonly params?: Readonly<Record<string, unknown>> | undefined };
}

/** What happens here, as events of the authorization server have it. */
export type StorageReport = (event: {
  readonly type: 'refresh-repeated' | 'revoked' | 'failed';
  readonly subject?: string;
  readonly client?: string;
  readonly reason?: string;
  readonly cause?: unknown;
}) => void;

/** A refresh token that was exchanged. */
interface UsedToken extends Payload {
  /** The digest of the request that did it. */
  readonly usedBy?: string;
  /** The ID of its response. */
  readonly response?: string;
}

/** A request, with the refresh token that the engine has found for it. */
interface Attempt {
  token?: { readonly id: string; readonly digest: string; readonly row: SealedRow<UsedToken> };
  /** The engine has accepted it, and makes new tokens. */
  isAccepted?: boolean;
}

export interface RefreshSettings {
  readonly rows: SealedRows;
  /** How long an identical request gets the identical response. */
  readonly graceMs: number;
  /** Milliseconds since the Unix epoch. */
  readonly now: () => number;
  /** The request that the engine is working on: `Provider.ctx`. */
  readonly current: () => object | undefined;
  /** Called with repeats, lost races, and failures of the store, for which the client gets 503. */
  readonly report: StorageReport;
}

export interface RefreshExchanges {
  /** To be passed to `use` of oidc-provider. */
  readonly middleware: (context: EngineContext, next: () => Promise<void>) => Promise<void>;
  /** For the adapter: what the engine may know of a refresh token. To a repeat, it is unused. */
  found(id: string, row: SealedRow<Payload>): Payload;
  /** For the adapter: whether the token is marked as used once the response exists. */
  consumesLater(id: string): boolean;
}

const responses = 'RefreshResponse';

/** A response is stored longer than it is given out: an attempt may take that long between two steps. */
const longestAttemptMs = 300_000;

export function createRefreshExchanges({ rows, graceMs, now, current, report }: RefreshSettings): RefreshExchanges {
  const attempts = new WeakMap<object, Attempt>();
  const isRepeat = ({ value, ageMs }: SealedRow<UsedToken>, digest: string): boolean =>
    value.usedBy === digest && ageMs <= graceMs;

  async function middleware(context: EngineContext, next: () => Promise<void>): Promise<void> {
    if (context.method !== 'POST') return next();
    const attempt: Attempt = {};
    attempts.set(context, attempt);
    await next();
    if (attempt.token === undefined || attempt.isAccepted !== true || context.status !== 200) return;
    try {
      await finish(context, attempt.token);
    } catch (cause) {
      report({ type: 'failed', reason: 'store', cause });
      context.status = 503;
      context.body = { error: 'temporarily_unavailable', error_description: 'Try again: nothing is lost.' };
    }
  }

  async function finish(context: EngineContext, { id, digest, row }: NonNullable<Attempt['token']>): Promise<void> {
    if (row.value.usedBy === undefined && (await isFirst(context.body, id, digest, row))) return;
    const { refresh_token: unused } = context.body as { readonly refresh_token?: string };
    if (unused !== undefined) await rows.delete('RefreshToken', unused);
    const used = await rows.read<UsedToken>('RefreshToken', id);
    if (used !== undefined && isRepeat(used, digest)) {
      const response = await rows.read(responses, used.value.response ?? '');
      if (response !== undefined) {
        context.body = response.value;
        report({ type: 'refresh-repeated', ...ownerOf(row.value) });
        return;
      }
    }
    // An identical request that took longer than the grace does not end the access of its client.
    if (used?.value.usedBy !== digest && row.value.grantId !== undefined) {
      await rows.delete('Grant', row.value.grantId);
      report({ type: 'revoked', reason: 'refresh token used twice', ...ownerOf(row.value) });
    }
    context.status = 400;
    context.body = { error: 'invalid_grant', error_description: 'grant request is invalid' };
  }

  async function isFirst(body: unknown, id: string, digest: string, row: SealedRow<UsedToken>): Promise<boolean> {
    const response = crypto.randomUUID();
    await rows.write(responses, response, body, { expiresInMs: graceMs + longestAttemptMs });
    const used = { ...row.value, consumed: Math.floor(now() / 1000), usedBy: digest, response };
    const expiresInMs = Math.max(0, (row.value.exp ?? 0) * 1000 - now());
    if (await rows.write('RefreshToken', id, used, { when: { version: row.version }, expiresInMs })) return true;
    await rows.delete(responses, response);
    return false;
  }

  return {
    middleware,
    found(id, row: SealedRow<UsedToken>) {
      const context = current() as EngineContext | undefined;
      const attempt = context && attempts.get(context);
      if (context === undefined || attempt === undefined || context.oidc.params?.refresh_token !== id) return row.value;
      const digest = digestOf(context);
      attempt.token = { id, digest, row };
      if (!isRepeat(row, digest)) return row.value;
      const { consumed: _, ...unused } = row.value;
      return unused;
    },
    consumesLater(id) {
      const context = current();
      const attempt = context && attempts.get(context);
      if (attempt?.token?.id !== id) return false;
      attempt.isAccepted = true;
      return true;
    },
  };
}

/** Whose token it is, for events. */
export const ownerOf = ({ accountId, clientId }: Payload) => ({
  ...(accountId !== undefined && { subject: accountId }),
  ...(clientId !== undefined && { client: clientId }),
});

/** What makes two requests identical. How the client proves who it is may differ: assertions and proofs are used once. */
function digestOf(context: EngineContext): string {
  const { grant_type, refresh_token, client_id, scope, resource } = context.oidc.params ?? {};
  const parts = [grant_type, refresh_token, client_id, scope, resource, proofKey(context.get('DPoP'))];
  return createHash('sha256')
    .update(JSON.stringify(parts.map((part) => part ?? null)))
    .digest('base64url');
}

/** The key that a DPoP proof claims: the engine verifies it, and binds tokens to it. */
function proofKey(proof: string): unknown {
  try {
    return JSON.parse(Buffer.from(proof.split('.')[0] ?? '', 'base64url').toString()).jwk;
  } catch {
    return undefined;
  }
}
