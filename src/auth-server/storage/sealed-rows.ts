/** Rows of an authorization server: JSON that its secrets seal, whatever the store does, and that belongs to one issuer. */
import type { AuthorizationRow, AuthorizationStore } from '../../store/authorization-store.ts';

/** Seals texts: each can be opened for its purpose only. */
export interface TextSeals {
  seal(purpose: string, text: string): string;
  /** `undefined`: none of the secrets has sealed it for this purpose. */
  open(purpose: string, sealed: string): string | undefined;
}

/** A value that was read. */
export interface SealedRow<Value> {
  readonly value: Value;
  readonly version: string;
  /** How long ago it was written, on the clock of the store. */
  readonly ageMs: number;
}

/** How a value is written. */
export interface RowOptions {
  readonly expiresInMs?: number;
  /** Another name that it is found by. */
  readonly alias?: string;
  readonly when?: 'absent' | { readonly version: string };
  /** How many rows of its kind there may be. */
  readonly max?: number;
  /** Whose share of `max` it is: beyond it, the share that has most makes room. */
  readonly share?: string | undefined;
}

/** Values by kind and ID. */
export interface SealedRows {
  /** The value of an ID. One that no secret of today has sealed counts as none. */
  read<Value>(kind: string, id: string): Promise<SealedRow<Value> | undefined>;
  readByAlias<Value>(kind: string, alias: string): Promise<SealedRow<Value> | undefined>;
  /** False if `when` does not hold. */
  write(kind: string, id: string, value: unknown, options?: RowOptions): Promise<boolean>;
  /** False if there was none, or another version. */
  delete(kind: string, id: string, version?: string): Promise<boolean>;
  /** Reads and deletes a value: of several callers, on any node, one gets it. */
  take<Value>(kind: string, id: string): Promise<Value | undefined>;
}

export function sealedRows(store: AuthorizationStore, issuer: string, seals: TextSeals): SealedRows {
  // Several authorization servers may share a store.
  const nameOf = (id: string): string => JSON.stringify([issuer, id]);
  const purposeOf = (kind: string): string => JSON.stringify(['row', issuer, kind]);

  /** `id` is absent where the row was found by its alias. */
  function opened<Value>(kind: string, row: AuthorizationRow | undefined, id?: string): SealedRow<Value> | undefined {
    const text = row && seals.open(purposeOf(kind), row.text);
    if (row === undefined || text === undefined) return undefined;
    const stored = JSON.parse(text) as { readonly id: string; readonly value: Value };
    // A row that was copied over another one.
    if (id !== undefined && stored.id !== id) return undefined;
    return { value: stored.value, version: row.version, ageMs: row.ageMs };
  }

  const rows: SealedRows = {
    read: async (kind, id) => opened(kind, await store.read(kind, nameOf(id)), id),
    readByAlias: async (kind, alias) => opened(kind, await store.readByAlias(kind, nameOf(alias))),
    write: async (kind, id, value, { alias, share, ...options } = {}) =>
      store.write(kind, nameOf(id), {
        text: seals.seal(purposeOf(kind), JSON.stringify({ id, value })),
        ...options,
        ...(alias !== undefined && { alias: nameOf(alias) }),
        ...(share !== undefined && { share: nameOf(share) }),
      }),
    delete: async (kind, id, version) => store.delete(kind, nameOf(id), version),
    async take(kind, id) {
      const row = await rows.read<never>(kind, id);
      return row !== undefined && (await rows.delete(kind, id, row.version)) ? row.value : undefined;
    },
  };
  return rows;
}
