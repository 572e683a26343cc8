/** The contract of skills (SEP-2640): the entries, and the three methods for them. */

import { isRecord, isString } from '../../lib/values/is.ts';
import { defineExtension, defineMethod } from '../../protocol/extensions/extension.ts';
import { isResource } from '../../protocol/generated/record-checks.ts';
import type { Resource } from '../../protocol/generated/types/records.ts';
import type { StandardSchema } from '../../schema/standard.ts';

/** One file of a skill: its URI, and the digest and size of its bytes. */
export interface SkillFile {
  /** The URI of the file. */
  readonly uri: string;
  /** `sha256:` and 64 hexadecimal digits, of the bytes of the file. */
  readonly digest: string;
  /** The number of its bytes. */
  readonly size: number;
}

/** The YAML at the top of `SKILL.md`. */
export interface Frontmatter {
  /** The name of the skill: lower case, digits and single dashes. */
  readonly name: string;
  /** What the skill is for, and when to use it. */
  readonly description: string;
  readonly [field: string]: unknown;
}

/** A skill as the list of a server names it. */
export interface SkillEntry {
  /** The URI of its `SKILL.md`, by which a skill is known; its name is only a label. */
  readonly uri: string;
  /** The frontmatter of its `SKILL.md`. */
  readonly frontmatter: Frontmatter;
  /** Every file exactly once, or `dynamic` where they are made when they are read and have no digests. */
  readonly resources: readonly SkillFile[] | 'dynamic';
}

/**
 * Files and bytes of one skill.
 * @limit skills
 * @default 512 files, 16 Mi bytes
 * @beyond `serveSkills` rejects it
 */
export const skillLimits = { files: 512, bytes: 16 * 1024 * 1024 } as const;

export const manifestName = 'SKILL.md';
export const directoryType = 'inode/directory';

/** The directory of a skill, without a slash at its end; `undefined` where the URI is not that of a `SKILL.md`. */
export const rootOf = (uri: string): string | undefined =>
  /^([A-Za-z][A-Za-z\d+.-]*:\/\/.+)\/SKILL\.md$/.exec(uri)?.[1];

/** The last segment of the path of a skill, which is its name. */
export const segmentOf = (root: string): string => root.slice(root.lastIndexOf('/') + 1);

/** `T` is the type of values that pass; `expected` describes them in the error. */
const checked = <T>(holds: (value: unknown) => boolean, expected: string): StandardSchema<T> => ({
  '~standard': {
    version: 1,
    vendor: 'tenon',
    validate: (value) => (holds(value) ? { value: value as T } : { issues: [{ message: `expected ${expected}` }] }),
  },
});

const isFile = (value: unknown): boolean =>
  isRecord(value) &&
  isString(value.uri) &&
  isString(value.digest) &&
  /^sha256:[0-9a-f]{64}$/.test(value.digest) &&
  Number.isSafeInteger(value.size) &&
  (value.size as number) >= 0;

/** Whether a name has only lower-case letters, digits and single dashes inside. */
export const isName = (name: unknown): boolean =>
  isString(name) && name.length <= 64 && /^[a-z\d]+(-[a-z\d]+)*$/.test(name);

export const isFrontmatter = (value: unknown): value is Frontmatter =>
  isRecord(value) && isName(value.name) && isString(value.description) && value.description !== '';

/** An entry lists the files of one directory, each once, with its own `SKILL.md` among them. */
export function isEntry(value: unknown): value is SkillEntry {
  if (!isRecord(value) || !isString(value.uri) || !isFrontmatter(value.frontmatter)) return false;
  const root = rootOf(value.uri);
  if (root === undefined || segmentOf(root) !== value.frontmatter.name) return false;
  if (value.resources === 'dynamic') return true;
  if (!Array.isArray(value.resources) || !value.resources.every(isFile)) return false;
  const uris = value.resources.map(({ uri }: SkillFile) => uri);
  const isWithin = uris.every((uri) => uri.startsWith(`${root}/`));
  return isWithin && uris.includes(value.uri) && new Set(uris).size === uris.length;
}

const isCursor = (value: unknown): boolean => value === undefined || isString(value);
const isListing = (value: unknown): boolean => isRecord(value) && isCursor(value.nextCursor);
const isListOf = (list: unknown, holds: (one: unknown) => boolean): boolean => Array.isArray(list) && list.every(holds);

/** The params of a list: where the next page begins. */
export interface CursorParams {
  /** The `nextCursor` of the page before; absent for the first page. */
  readonly cursor?: string;
}

/** The params of a request for one skill or folder. */
export interface UriParams {
  /** The URI of the skill or folder. */
  readonly uri: string;
}

/** One page of the list of skills. */
export interface SkillPage {
  /** The skills of this page. */
  readonly skills: readonly SkillEntry[];
  /** The cursor of the next page; absent on the last one. */
  readonly nextCursor?: string;
}

/** One page of the files and folders of a folder. */
export interface DirectoryPage {
  /** The files and folders of this page. */
  readonly resources: readonly Resource[];
  /** The cursor of the next page; absent on the last one. */
  readonly nextCursor?: string;
}

/** The extension. A client that declared nothing is served as well: the specification asks only servers to declare it. */
export const skillsExtension = defineExtension('io.modelcontextprotocol/skills', {
  methods: {
    list: defineMethod('skills/list', {
      params: checked<CursorParams>((value) => isRecord(value) && isCursor(value.cursor), 'an optional cursor'),
      result: checked<SkillPage>(
        (value) => isListing(value) && isListOf((value as { skills?: unknown }).skills, isEntry),
        'skills, each with uri, frontmatter and resources that belong together',
      ),
      cacheable: true,
    }),
    get: defineMethod('skills/get', {
      params: checked<UriParams>((value) => isRecord(value) && isString(value.uri), 'a uri'),
      result: checked<{ readonly skill: SkillEntry }>(
        (value) => isRecord(value) && isEntry(value.skill),
        'a skill with uri, frontmatter and resources that belong together',
      ),
      cacheable: true,
    }),
    directory: defineMethod('resources/directory/read', {
      params: checked<UriParams & CursorParams>(
        (value) => isRecord(value) && isString(value.uri) && isCursor(value.cursor),
        'a uri and an optional cursor',
      ),
      result: checked<DirectoryPage>(
        (value) => isListing(value) && isListOf((value as { resources?: unknown }).resources, isResource),
        'resources',
      ),
      cacheable: true,
    }),
  },
  whenUndeclared: 'serve',
  availableInSessions: true,
});
