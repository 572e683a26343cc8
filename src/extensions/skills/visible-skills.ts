/** Skills as one caller sees them: without the files that a guard hides. */
import type { SkillEntry } from './contract.ts';
import type { SkillIndex } from './skill-index.ts';

type Sees = (uri: string) => boolean;

/** The items that a caller sees: the same map if it sees all of them. */
export function visibleOnly<T>(items: ReadonlyMap<string, T>, sees: Sees): ReadonlyMap<string, T> {
  const visible = [...items].filter(([uri]) => sees(uri));
  return visible.length === items.size ? items : new Map(visible);
}

/** A skill exists for a caller that sees its `SKILL.md`. */
export function visibleEntry(entry: SkillEntry | undefined, sees: Sees): SkillEntry | undefined {
  if (entry === undefined || !sees(entry.uri)) return undefined;
  const { resources } = entry;
  return resources === 'dynamic' ? entry : { ...entry, resources: resources.filter(({ uri }) => sees(uri)) };
}

/** The visible children of a directory; `undefined` if the caller sees none. */
export function visibleChildren(
  directories: SkillIndex['directories'],
  uri: string,
  sees: Sees,
): ReturnType<SkillIndex['directories']['get']> {
  const children = directories.get(uri);
  if (children === undefined) return undefined;
  const visible = visibleOnly(children, (child) =>
    directories.has(child) ? visibleChildren(directories, child, sees) !== undefined : sees(child),
  );
  return visible.size === 0 ? undefined : visible;
}
