/** Changes that all lists have in common: items that were added, removed, or described differently. */
import { canonicalJson } from '../../lib/text/canonical-json.ts';
import { type ContractChange, quoted } from './change.ts';

export type Kind = Exclude<ContractChange['kind'], 'server'>;

export interface Lists<T> {
  readonly kind: Kind;
  readonly before: readonly T[];
  readonly after: readonly T[];
  keyOf(item: T): string;
  /** The verb for using an item, such as `call`. */
  readonly verb: string;
  /** The changes of one that both have. */
  compare(before: T, after: T): ContractChange[];
  /** The change of a removed item that still exists in another form; absent if it does not. */
  moved?(item: T, added: readonly T[]): ContractChange | undefined;
}

export function listChanges<T extends object>(lists: Lists<T>): ContractChange[] {
  const { kind, before, after, keyOf, verb, compare, moved } = lists;
  const [old, now] = [new Map(before.map((one) => [keyOf(one), one])), new Map(after.map((one) => [keyOf(one), one]))];
  const added = after.filter((one) => !old.has(keyOf(one)));
  const taken = new Set<string>();
  const changes = [...old].flatMap(([name, item]) => {
    const other = now.get(name);
    if (other !== undefined) return compare(item, other);
    const move = moved?.(item, added);
    if (move !== undefined) {
      for (const one of added) if (move.text.includes(quoted(keyOf(one)))) taken.add(keyOf(one));
      return [move];
    }
    return [removed(kind, name, verb, renamedTo(item, added, keyOf))];
  });
  const rest = added.filter((one) => !taken.has(keyOf(one)));
  return [...changes, ...rest.map((one) => addition(kind, keyOf(one)))];
}

function removed(kind: Kind, name: string, verb: string, renamed: string | undefined): ContractChange {
  const text = renamed === undefined ? `It was removed.` : `It was removed; ${quoted(renamed)} is the same.`;
  return { kind, name, effect: 'breaks', place: '', text, callers: `${verb} ${quoted(name)}` };
}

const addition = (kind: Kind, name: string): ContractChange => ({
  kind,
  name,
  effect: 'safe',
  place: '',
  text: 'It was added.',
});

/** One that was added and differs only in its name. */
function renamedTo<T extends object>(item: T, added: readonly T[], keyOf: (item: T) => string): string | undefined {
  const without = (one: T): string => {
    const { name: _, uri: _uri, title: _title, ...others } = one as Record<string, unknown>;
    return canonicalJson(others);
  };
  const same = added.find((one) => without(one) === without(item));
  return same && keyOf(same);
}

/** Texts and pictures of an item that changed. */
export function textChanges<T extends object>(
  subject: Pick<ContractChange, 'kind' | 'name'>,
  [before, after]: readonly [T, T],
  fields: readonly (keyof T & string)[],
): ContractChange[] {
  return fields
    .filter((field) => canonicalJson(before[field]) !== canonicalJson(after[field]))
    .map((field) => ({ ...subject, effect: 'review', place: field, text: `The ${field} changed.` }));
}
