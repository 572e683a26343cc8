/** The `adapter` option of oidc-provider: its models as sealed rows. Of several exchanges of a code or a refresh token, on any node, one wins. */
import { TenonError } from '../../lib/errors/tenon-error.ts';
import { ownerOf, type Payload, type RefreshExchanges, type StorageReport } from './refresh-exchanges.ts';
import type { RowOptions, SealedRows } from './sealed-rows.ts';

/** The storage of a model, as oidc-provider asks for it. */
export interface ModelAdapter {
  upsert(id: string, payload: Payload, expiresInSeconds?: number): Promise<void>;
  find(id: string): Promise<Payload | undefined>;
  findByUid(uid: string): Promise<Payload | undefined>;
  findByUserCode(userCode: string): Promise<Payload | undefined>;
  consume(id: string): Promise<void>;
  destroy(id: string): Promise<void>;
  revokeByGrantId(grantId: string): Promise<void>;
}

/** Errors of oidc-provider: those of OAuth, by their names. */
export interface EngineErrors {
  readonly InvalidGrant: new (description?: string) => Error;
  readonly TemporarilyUnavailable: new (description?: string) => Error;
}

export interface AdapterSettings {
  readonly rows: SealedRows;
  readonly refreshes: RefreshExchanges;
  /** Sign-ins that are open at the same time. */
  readonly maxFlows: number;
  /** Whose request the engine is working on: what anyone can make it store counts for this share. */
  readonly share?: (() => string | undefined) | undefined;
  readonly errors: EngineErrors;
  /** Milliseconds since the Unix epoch. */
  readonly now: () => number;
  readonly report: StorageReport;
}

/** What anyone can make the engine store, before a user has signed in. */
const openToAnyone: ReadonlySet<string> = new Set(['Interaction', 'Session']);

export function createAdapter(settings: AdapterSettings): (model: string) => ModelAdapter {
  const { rows, refreshes, maxFlows, share, errors, now, report } = settings;

  async function write(model: string, id: string, payload: Payload, options: RowOptions): Promise<boolean> {
    try {
      return await rows.write(model, id, payload, options);
    } catch (cause) {
      if (cause instanceof TenonError && cause.details?.limit === 'authorizations') throw busy(errors);
      throw cause;
    }
  }

  /** Each exchange looks for its grant: without it, no token of it is worth anything. */
  const revoke = async (grantId: string | undefined): Promise<void> => {
    if (grantId !== undefined) await rows.delete('Grant', grantId);
  };

  /** The loser of a race revokes the grant, as a replay does. */
  async function consume(model: string, id: string): Promise<void> {
    const row = await rows.read<Payload>(model, id);
    if (row !== undefined && row.value.consumed === undefined) {
      const consumed = { ...row.value, consumed: Math.floor(now() / 1000) };
      if (await write(model, id, consumed, { when: { version: row.version }, ...expiryOf(row.value, now) })) return;
    }
    if (row !== undefined) {
      await revoke(row.value.grantId);
      report({ type: 'revoked', reason: `${model} used twice`, ...ownerOf(row.value) });
    }
    throw new errors.InvalidGrant(`${model} already used`);
  }

  return (model) => ({
    async upsert(id, payload, expiresInSeconds) {
      const written = await write(model, id, payload, {
        ...(expiresInSeconds !== undefined && { expiresInMs: expiresInSeconds * 1000 }),
        ...(payload.uid !== undefined && { alias: payload.uid }),
        ...(openToAnyone.has(model) && { max: maxFlows, share: share?.() }),
        // The engine looks whether it was used, and then writes: of two nodes that do so at once, one may go on.
        ...(model === 'ReplayDetection' && { when: 'absent' }),
      });
      if (!written) throw new errors.InvalidGrant('the proof was used before');
    },
    async find(id) {
      const row = await rows.read<Payload>(model, id);
      if (row === undefined || model !== 'RefreshToken') return row?.value;
      return refreshes.found(id, row);
    },
    findByUid: async (uid) => (await rows.readByAlias<Payload>(model, uid))?.value,
    findByUserCode: async () => undefined,
    async consume(id) {
      if (model === 'RefreshToken' && refreshes.consumesLater(id)) return;
      await consume(model, id);
    },
    destroy: async (id) => void (await rows.delete(model, id)),
    revokeByGrantId: revoke,
  });
}

/** What is used is stored as long as it would have been valid: that it is used again must be noticed. */
const expiryOf = ({ exp }: Payload, now: () => number): RowOptions =>
  exp === undefined ? {} : { expiresInMs: Math.max(0, exp * 1000 - now()) };

const busy = ({ TemporarilyUnavailable }: EngineErrors): Error =>
  Object.assign(new TemporarilyUnavailable('too many sign-ins are open'), { status: 503, statusCode: 503 });
