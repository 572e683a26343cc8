/** Puts the messages of two conversations beside each other: those of the same direction, kind, method and name. Pure. */
import type { Row } from '../../../../../src/inspector/api.ts';
import { diffLines } from '../../result/diff.ts';

/** A message of each side; a side without its counterpart has none. */
export interface RowPair {
  readonly left?: Row;
  readonly right?: Row;
}

const keyOf = ({ from, type, method = '', name = '' }: Row): string => {
  const isAnswer = type === 'response' || type === 'error';
  return `${from} ${isAnswer ? 'answer' : type} ${method} ${name}`;
};

export function alignRows(left: readonly Row[], right: readonly Row[]): readonly RowPair[] {
  let [one, other] = [0, 0];
  return diffLines(left.map(keyOf), right.map(keyOf)).map(({ side }) => {
    const [a, b] = [left[one], right[other]];
    if (side !== 'after') one += 1;
    if (side !== 'before') other += 1;
    return {
      ...(side !== 'after' && a !== undefined && { left: a }),
      ...(side !== 'before' && b !== undefined && { right: b }),
    };
  });
}

/** A message without what differs in every message by its nature: ids and tokens. */
export function comparable(text: string): unknown {
  try {
    const { jsonrpc: _version, id: _id, ...rest } = JSON.parse(text) as Record<string, unknown>;
    return withoutTokens(rest);
  } catch {
    return text;
  }
}

const tokens: ReadonlySet<string> = new Set(['progressToken', 'requestId']);

function withoutTokens(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutTokens);
  if (typeof value !== 'object' || value === null) return value;
  const kept = Object.entries(value).filter(([name]) => !tokens.has(name));
  return Object.fromEntries(kept.map(([name, part]) => [name, withoutTokens(part)]));
}
