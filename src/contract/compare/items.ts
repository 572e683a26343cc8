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
  /** How removed items may still exist in another form, of which `added` are possible ones. */
  moved?(added: readonly T[]): (item: T) => Move | undefined;
}

/** A removed item that exists in another form. */
export interface Move {
  readonly change: ContractChange;
  /** The key of the added item that it is now. */
  readonly taken?: string;
}

export function listChanges<T extends object>(lists: Lists<T>): ContractChange[] {
  const { kind, before, after, keyOf, verb, compare, moved } = lists;
  const [old, now] = [new Map(before.map((one) => [keyOf(one), one])), new Map(after.map((one) => [keyOf(one), one]))];
  const added = after.filter((one) => !old.has(keyOf(one)));
  const taken = new Set<string>();
  const renamedTo = renames(added, keyOf);
  const movedTo = moved?.(added);
  const changes = [...old].flatMap(([name, item]) => {
    const other = now.get(name);
    if (other !== undefined) return compare(item, other);
    const move = movedTo?.(item);
    if (move === undefined) return [removed(kind, name, verb, renamedTo(item))];
    if (move.taken !== undefined) taken.add(move.taken);
    return [move.change];
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

/** Finds one that was added and differs only in its name. Each is written once: lists of others may be long. */
function renames<T extends object>(
  added: readonly T[],
  keyOf: (item: T) => string,
): (removed: T) => string | undefined {
  let keys: Map<string, string> | undefined;
  return (item) => {
    keys ??= firstOf(added, withoutName, keyOf);
    return keys.get(withoutName(item));
  };
}

function withoutName(item: object): string {
  const { name: _, uri: _uri, title: _title, ...others } = item as Record<string, unknown>;
  return canonicalJson(others);
}

/** The key of the first item of each text. */
export function firstOf<T>(
  items: readonly T[],
  textOf: (item: T) => string,
  keyOf: (item: T) => string,
): Map<string, string> {
  // Later ones replace earlier ones in a map.
  return new Map(items.toReversed().map((one) => [textOf(one), keyOf(one)]));
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
