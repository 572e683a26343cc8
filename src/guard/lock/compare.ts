/** Compares a server and its definitions with the approved ones. */
import { canonicalJson } from '../../lib/text/canonical-json.ts';
import type { AddedItem, ChangedItem, ListedKind, LockComparison, LockedItem, SeenServer } from '../../ports/lock.ts';
import { hashOf, lockedKinds, nameOf, pinnedPart } from './definitions.ts';
import { differencesOf, shownText } from './differences.ts';
import type { LockedServer, LockedServers } from './document.ts';

export async function compareServer(servers: LockedServers, name: string, seen: SeenServer): Promise<LockComparison> {
  const locked = servers.get(name);
  const added: AddedItem[] = [];
  const changed: ChangedItem[] = [];
  const removed: LockedItem[] = [];
  compareInstructions(locked, seen.instructions, { added, changed, removed });
  for (const kind of lockedKinds) {
    const listed = seen.definitions[kind];
    if (listed === undefined) continue;
    const byName = grouped(kind, listed);
    for (const [own, definitions] of byName) {
      const approved = locked?.definitions[kind].get(own);
      if (approved === undefined)
        for (const { description } of definitions) added.push({ kind, name: own, description: textOf(description) });
      // A server that lists a name twice must not hide one definition behind the other.
      else
        for (const now of definitions)
          if ((await hashOf(now)) !== approved.hash)
            changed.push({ kind, name: own, ...differencesOf(approved.definition, now) });
    }
    for (const own of locked?.definitions[kind].keys() ?? []) if (!byName.has(own)) removed.push({ kind, name: own });
  }
  return {
    known: locked !== undefined,
    identity: locked === undefined ? [] : differencesOf(locked.identity, seen.identity).fields,
    approvedAs: locked === undefined ? approvedName(servers, seen) : undefined,
    added,
    changed,
    removed,
  };
}

function compareInstructions(
  locked: LockedServer | undefined,
  after: string | undefined,
  { added, changed, removed }: { added: AddedItem[]; changed: ChangedItem[]; removed: LockedItem[] },
): void {
  const before = locked?.instructions;
  if (before === after) return;
  const item = { kind: 'instructions', name: '' } as const;
  if (before === undefined) added.push({ ...item, description: textOf(after) });
  else if (after === undefined) removed.push(item);
  else changed.push({ ...item, ...differencesOf({ text: before }, { text: after }) });
}

const textOf = (text: unknown): string | undefined => (text === undefined ? undefined : shownText(text));

function grouped(kind: ListedKind, listed: readonly object[]): Map<string, Readonly<Record<string, unknown>>[]> {
  const byName = new Map<string, Readonly<Record<string, unknown>>[]>();
  for (const definition of listed) {
    const own = nameOf(kind, definition);
    byName.set(own, [...(byName.get(own) ?? []), pinnedPart(kind, definition)]);
  }
  return byName;
}

const approvedName = (servers: LockedServers, { identity }: SeenServer): string | undefined =>
  [...servers].find(([, one]) => canonicalJson(one.identity) === canonicalJson(identity))?.[0];
