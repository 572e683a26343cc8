/** What the two packages return, as numbers. */
import type { SqlValue } from '../database.ts';

/** The number of a row that a statement inserted. */
export const insertedBy = (result: unknown): number =>
  Number((result as { readonly lastInsertRowid: number | bigint }).lastInsertRowid);

/** How many rows a statement changed, without those that triggers changed. */
export const changedBy = (result: unknown): number => Number((result as { readonly changes: number | bigint }).changes);

export const optional = (value: SqlValue | undefined): number | undefined =>
  value === null || value === undefined ? undefined : Number(value);
