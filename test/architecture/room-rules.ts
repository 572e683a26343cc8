/** The rules on rooms; each returns its complaints, one sentence each, none when the tree obeys. */
import { posix } from 'node:path';
import { maxFiles, maxJoined, minEntries, minLines, rooms, smallFiles, smallFolders } from './rooms.ts';
import type { SourceFile } from './source-tree.ts';

/** The entry of a folder that a path lies in: `http` for `src/server/http/post/post.ts` in `src/server`. A generated table belongs to the file beside it. */
const entryOf = (folder: string, path: string): string | undefined =>
  path.startsWith(`${folder}/`)
    ? path
        .slice(folder.length + 1)
        .split('/')[0]
        ?.replace(/(?:\.table)?\.tsx?$/, '')
    : undefined;

/** A generated table is no file that anyone looks for. */
const isTable = (path: string): boolean => path.endsWith('.table.ts');

const tierOf = (folder: string, entry: string): number =>
  rooms[folder]?.findIndex((tier) => tier.includes(entry)) ?? -1;

export function unlistedRooms(files: readonly SourceFile[]): string[] {
  return Object.keys(rooms).flatMap((folder) => {
    const found = new Set(files.flatMap(({ path }) => entryOf(folder, path) ?? []));
    const listed = new Set(rooms[folder]?.flat());
    return [
      ...[...found].filter((entry) => !listed.has(entry)).map((entry) => `${folder}/${entry} has no tier in rooms.ts`),
      ...[...listed]
        .filter((entry) => !found.has(entry))
        .map((entry) => `rooms.ts lists ${folder}/${entry}: remove it`),
    ];
  });
}

export function upwardImports(files: readonly SourceFile[]): string[] {
  return files.flatMap(({ path, imports }) =>
    Object.keys(rooms).flatMap((folder) => {
      const from = entryOf(folder, path);
      if (from === undefined) return [];
      return imports
        .filter((target) => {
          const to = entryOf(folder, target);
          return to !== undefined && to !== from && tierOf(folder, to) >= tierOf(folder, from);
        })
        .map((target) => `${path} imports ${target}: in ${folder}, ${from} is not above it (rooms.ts)`);
    }),
  );
}

export function crowdedFolders(files: readonly Pick<SourceFile, 'path'>[]): string[] {
  const counts = new Map<string, number>();
  for (const { path } of files)
    if (!isTable(path)) counts.set(posix.dirname(path), (counts.get(posix.dirname(path)) ?? 0) + 1);
  return [...counts]
    .filter(([, count]) => count > maxFiles)
    .map(([folder, count]) => `${folder} has ${count} files, over ${maxFiles}: give it rooms`);
}

export function sparseFolders(files: readonly Pick<SourceFile, 'path'>[]): string[] {
  const entries = new Map<string, Set<string>>();
  for (const { path } of files) {
    if (isTable(path)) continue;
    const parts = path.split('/');
    for (let depth = 2; depth < parts.length; depth++) {
      const folder = parts.slice(0, depth).join('/');
      entries.set(folder, (entries.get(folder) ?? new Set()).add(parts[depth] as string));
    }
  }
  return [...entries]
    .filter(([folder, { size }]) => size < minEntries && !mayBeSmall(folder))
    .map(([folder, { size }]) => `${folder} has ${size} entries, under ${minEntries}: merge it into the folder above`);
}

const mayBeSmall = (folder: string): boolean =>
  Object.keys(smallFolders).some((place) => (place.endsWith('/') ? folder.startsWith(place) : folder === place));

/** One file for each part of a store, however small. */
const isOfStore = (path: string): boolean => /^src\/(?:sqlite|redis)\//.test(path);

/** Small files that a single file of the same folder uses. */
export function loneFiles(files: readonly SourceFile[]): string[] {
  return files
    .filter(
      ({ path, lines }) =>
        lines < minLines &&
        !isTable(path) &&
        posix.basename(path) !== 'index.ts' &&
        !isOfStore(path) &&
        !smallFiles[path],
    )
    .flatMap(({ path, lines }) => {
      const users = files.filter(({ imports }) => imports.includes(path));
      const [user] = users;
      if (users.length !== 1 || user === undefined || posix.dirname(user.path) !== posix.dirname(path)) return [];
      if (posix.basename(user.path) === 'index.ts' || isTable(user.path) || user.lines + lines > maxJoined) return [];
      return [`${path} has ${lines} lines that only ${user.path} uses: put them there`];
    });
}
