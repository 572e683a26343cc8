/** An index of skills made from files: entries with digests, resources to read, and directories. */
import { TenonError } from '../../lib/errors/tenon-error.ts';
import type { CacheHint } from '../../protocol/neutral.ts';
import type { ResourceBody, ResourceDefinition } from '../../server/definition/resource.ts';
import { resource } from '../../server/features/resource.ts';
import {
  directoryType,
  type Frontmatter,
  isFrontmatter,
  manifestName,
  type SkillEntry,
  skillLimits,
} from './contract.ts';
import { digestOf } from './digest.ts';
import { readFrontmatter } from './frontmatter.ts';
import { mediaTypeOf } from './media-types.ts';

/** The content of a file, or a function that creates it when it is read. */
export type SkillContent = string | Uint8Array | (() => string | Uint8Array | Promise<string | Uint8Array>);

/** Files by their paths. A directory with a `SKILL.md` is a skill; within one there may be others. */
export type SkillFiles = Readonly<Record<string, SkillContent>>;

type Child = { readonly record: { uri: string; name: string; mimeType: string; description?: string; size?: number } };

export interface SkillIndex {
  /** By the URI of their `SKILL.md`. */
  readonly entries: ReadonlyMap<string, SkillEntry>;
  readonly resources: Readonly<Record<string, ResourceDefinition>>;
  /** The direct children of each directory, by its URI. */
  readonly directories: ReadonlyMap<string, ReadonlyMap<string, Child>>;
}

interface File {
  readonly path: string;
  readonly uri: string;
  readonly mimeType: string;
  /** The content as it is served; `undefined` if it is created when it is read. */
  readonly body: string | Uint8Array | undefined;
  readonly size: number | undefined;
  readonly digest: string | undefined;
  readonly content: SkillContent;
}

/** Reads and digests all files once. Throws `invalid-definition` with the place and a hint. */
export async function buildSkillIndex(files: SkillFiles, cache: CacheHint | undefined): Promise<SkillIndex> {
  const all = await Promise.all(Object.entries(files).map(([path, content]) => readFile(path, content)));
  const roots = all.filter(({ path }) => path.endsWith(`/${manifestName}`)).map(({ path }) => parentOf(path));
  const stray = all.find(({ path }) => !roots.some((root) => path.startsWith(`${root}/`)));
  if (stray !== undefined)
    throw refused(stray.path, 'it belongs to no skill', 'Put a SKILL.md into its directory, or leave it out.');
  const entries = new Map<string, SkillEntry>();
  for (const root of roots) {
    const entry = await entryOf(root, all);
    entries.set(entry.uri, entry);
  }
  const children = all.map((file): [File, Child] => [file, { record: recordOf(file, entries.get(file.uri)) }]);
  return {
    entries,
    resources: Object.fromEntries(children.map(([file, { record }]) => [file.uri, resourceOf(file, record, cache)])),
    directories: directoriesOf(children),
  };
}

const uriOf = (path: string): string => `skill://${path.split('/').map(encodeURIComponent).join('/')}`;
const parentOf = (path: string): string => path.slice(0, path.lastIndexOf('/'));
const nameOf = (path: string): string => path.slice(path.lastIndexOf('/') + 1);

/** The first segment is the host part of the URI, so it is limited to the characters of one. */
function checkPath(path: string): void {
  const segments = path.split('/');
  if (segments.length < 2 || segments.some((one) => one === '' || one === '.' || one === '..' || one.includes('\\')))
    throw refused(path, 'not the path of a file in a skill', "Write it as 'skill-name/SKILL.md'.");
  if (!/^[A-Za-z\d._~-]+$/.test(segments[0] ?? ''))
    throw refused(
      path,
      'its first directory has a name that no URI begins with',
      'Use letters, digits, dots and dashes.',
    );
}

async function readFile(path: string, content: SkillContent): Promise<File> {
  checkPath(path);
  const about = { path, uri: uriOf(path), content };
  if (typeof content === 'function')
    return { ...about, mimeType: mediaTypeOf(path, true), body: undefined, size: undefined, digest: undefined };
  const bytes = typeof content === 'string' ? new TextEncoder().encode(content) : content;
  const text = typeof content === 'string' ? content : textOf(bytes);
  const mimeType = mediaTypeOf(path, text !== undefined);
  return { ...about, mimeType, body: text ?? bytes, size: bytes.length, digest: await digestOf(bytes) };
}

/** Bytes that are UTF-8 text are served as text: the client reads the same bytes. */
function textOf(bytes: Uint8Array): string | undefined {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return undefined;
  }
}

async function entryOf(root: string, all: readonly File[]): Promise<SkillEntry> {
  const own = all.filter(({ path }) => path.startsWith(`${root}/`));
  const manifest = own.find(({ path }) => path === `${root}/${manifestName}`) as File;
  const frontmatter = await frontmatterOf(manifest);
  if (frontmatter.name !== nameOf(root))
    throw refused(manifest.path, `its name is ${JSON.stringify(frontmatter.name)}`, 'Name it like its directory.');
  checkSize(manifest.path, own);
  const isDynamic = own.some(({ body }) => body === undefined);
  const resources = own.map(({ uri, digest = '', size = 0 }) => ({ uri, digest, size }));
  return { uri: manifest.uri, frontmatter, resources: isDynamic ? 'dynamic' : resources };
}

async function frontmatterOf({ path, body }: File): Promise<Frontmatter> {
  if (typeof body !== 'string')
    throw refused(path, 'it is no text', 'Files beside it can be made when they are read; SKILL.md is a text.');
  const found = await readFrontmatter(body);
  if (isFrontmatter(found)) return found;
  throw refused(
    path,
    'it does not begin with YAML that has a name and a description',
    "Begin it with lines '---', 'name: …', 'description: …', '---'; a name has lower case letters, digits and dashes.",
  );
}

function checkSize(path: string, own: readonly File[]): void {
  const bytes = own.reduce((sum, { size = 0 }) => sum + size, 0);
  if (own.length > skillLimits.files || bytes > skillLimits.bytes)
    throw refused(path, 'the skill has more than 512 files or 16 MiB', 'Take files out, or make two skills of it.');
}

/** A manifest is described by its frontmatter, any other file by its name. */
function recordOf({ path, uri, mimeType, size }: File, entry: SkillEntry | undefined): Child['record'] {
  const about = entry === undefined ? { name: nameOf(path) } : labelOf(entry.frontmatter);
  return { uri, ...about, mimeType, ...(size !== undefined && { size }) };
}

const labelOf = ({ name, description }: Frontmatter) => ({ name, description });

function resourceOf(
  { body, content }: File,
  record: Child['record'],
  cache: CacheHint | undefined,
): ResourceDefinition {
  const { uri: _uri, ...metadata } = record;
  const read = (): ResourceBody | Promise<ResourceBody> =>
    body ?? (content as () => ResourceBody | Promise<ResourceBody>)();
  return resource({ ...metadata, ...(cache !== undefined && { cache }) }, read);
}

/** Every directory down from the first segment of each path: none is ever empty. */
function directoriesOf(children: readonly [File, Child][]): SkillIndex['directories'] {
  const directories = new Map<string, Map<string, Child>>();
  const put = (path: string, child: Child): void => {
    const parent = parentOf(path);
    const there = directories.get(uriOf(parent)) ?? new Map<string, Child>();
    directories.set(uriOf(parent), there.set(child.record.uri, child));
    if (parent.includes('/'))
      put(parent, { record: { uri: uriOf(parent), name: nameOf(parent), mimeType: directoryType } });
  };
  for (const [{ path }, child] of children) put(path, child);
  return directories;
}

const refused = (path: string, what: string, hint: string): TenonError =>
  new TenonError('invalid-definition', `skills[${JSON.stringify(path)}]: ${what}.`, { hint, details: { path } });
