/** Changes of a server itself: its protocol versions, capabilities and instructions. */
import { isRecord } from '../../lib/values/is.ts';
import { type ContractChange, quoted } from './change.ts';
import type { Both } from './versions.ts';

const subject = { kind: 'server', name: '' } as const;

export function serverChanges(both: Both): ContractChange[] {
  const { before, after } = both;
  const changes = [...versionChanges(both), ...capabilityChanges(both)];
  if (before.instructions !== after.instructions)
    changes.push({ ...subject, effect: 'review', place: 'instructions', text: 'The instructions changed.' });
  if (before.serverInfo?.name !== after.serverInfo?.name)
    changes.push({ ...subject, effect: 'review', place: 'serverInfo.name', text: 'The name of the server changed.' });
  return changes;
}

/** If one of them is not known, nothing can be said. */
function versionChanges({ before, after }: Both): ContractChange[] {
  const [old, now] = [before.protocolVersions, after.protocolVersions];
  if (old === undefined || now === undefined) return [];
  const place = 'protocolVersions';
  const [known, offered] = [new Set(old), new Set(now)];
  return [
    ...old
      .filter((version) => !offered.has(version))
      .map((version): ContractChange => {
        const text = `Protocol version ${version} is not supported any more.`;
        return { ...subject, effect: 'breaks', place, text, callers: `use ${version}` };
      }),
    ...now
      .filter((version) => !known.has(version))
      .map(
        (version): ContractChange => ({
          ...subject,
          effect: 'safe',
          place,
          text: `Protocol version ${version} is supported now.`,
        }),
      ),
  ];
}

function capabilityChanges({ before, after }: Both): ContractChange[] {
  const [old, now] = [pathsOf(before.capabilities), pathsOf(after.capabilities)];
  const dropped = without(old, now);
  const added = without(now, old);
  return [
    // A capability whose parent was removed is not listed again.
    ...dropped.map((path): ContractChange => {
      const text = `The capability ${quoted(path)} is not declared any more.`;
      return { ...subject, effect: 'breaks', place: `capabilities.${path}`, text, callers: `use ${quoted(path)}` };
    }),
    ...added.map((path): ContractChange => {
      const text = `The capability ${quoted(path)} is declared now.`;
      return { ...subject, effect: 'safe', place: `capabilities.${path}`, text };
    }),
  ];
}

/** Those that only the first has. */
function without(some: ReadonlyMap<string, string>, others: ReadonlyMap<string, string>): string[] {
  const isOther = (path: string): boolean => some.has(path) && !others.has(path);
  return [...some].filter(([path, parent]) => isOther(path) && !isOther(parent)).map(([path]) => path);
}

/** A server may give them names of any length, and each inner one has the name of its parent. */
const maxNameChars = 200;

const shortened = (name: string): string => (name.length <= maxNameChars ? name : `${name.slice(0, maxNameChars)}…`);

/** `resources`, and `resources.subscribe` with its parent; what is `false` is not declared. */
function pathsOf(capabilities: object): Map<string, string> {
  const paths = new Map<string, string>();
  for (const [name, value] of Object.entries(capabilities)) {
    if (value === undefined || value === false) continue;
    const shown = shortened(name);
    paths.set(shown, '');
    for (const [inner, on] of isRecord(value) ? Object.entries(value) : [])
      if (on !== undefined && on !== false) paths.set(`${shown}.${shortened(inner)}`, shown);
  }
  return paths;
}
