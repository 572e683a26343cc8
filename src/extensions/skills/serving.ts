/** Serves files as skills. */
import { RpcError } from '../../jsonrpc/errors.ts';
import { rpcError } from '../../protocol/errors.ts';
import type { CacheHint } from '../../protocol/neutral.ts';
import type { ServerExtension } from '../../server/definition/extension.ts';
import { serveExtension } from '../../server/features/extension.ts';
import { pageOf } from '../../server/kernel/pages.ts';
import { type DirectoryPage, type SkillPage, skillsExtension } from './contract.ts';
import { buildSkillIndex, type SkillFiles } from './skill-index.ts';
import { visibleChildren, visibleEntry, visibleOnly } from './visible-skills.ts';

/** The options of `serveSkills`. */
export interface SkillsOptions {
  /** Paths of skills, such as `acme/refunds`, that are served and not listed. */
  readonly unlisted?: readonly string[];
  /** How many skills, or files of a directory, one page has; 100 by default. */
  readonly pageSize?: number;
  /** How long entries and files may be cached, and by whom. By default as the lists of the server. */
  readonly cache?: CacheHint;
}

/**
 * Serves files as skills: pass the result in `extensions: […]` of `createServer`.
 * Rejects with `invalid-definition` where a skill is invalid.
 */
export async function serveSkills(files: SkillFiles, options: SkillsOptions = {}): Promise<ServerExtension> {
  const { unlisted = [], pageSize = 100, cache } = options;
  const { entries, resources, directories } = await buildSkillIndex(files, cache);
  const hidden = new Set(unlisted.map((path) => `skill://${path}/SKILL.md`));
  const listed = new Map(
    [...entries].filter(([uri]) => !hidden.has(uri)).map(([uri, entry]) => [uri, { record: { ...entry } }]),
  );
  return serveExtension(skillsExtension, {
    settings: { directoryRead: true },
    methods: {
      list({ cursor }, { sees }) {
        const page = pageOf('skills', visibleOnly(listed, sees), cursor, pageSize);
        const { skills, ...more } = paged<SkillPage>('skills', page);
        return { ...more, skills: skills.flatMap((entry) => visibleEntry(entry, sees) ?? []) };
      },
      get({ uri }, { sees }) {
        const skill = visibleEntry(entries.get(uri), sees);
        if (skill === undefined) throw rpcError('invalid-params', 'There is no such skill', { uri });
        return { skill };
      },
      directory({ uri, cursor }, { sees }) {
        const children = visibleChildren(directories, uri, sees);
        if (children === undefined) throw rpcError('invalid-params', 'There is no such directory', { uri });
        return paged<DirectoryPage>('resources', pageOf(uri, children, cursor, pageSize));
      },
    },
    resources,
    ...(cache !== undefined && { cache }),
  });
}

function paged<P>(key: string, page: ReturnType<typeof pageOf>): P {
  if (page instanceof RpcError) throw page;
  const { records, nextCursor } = page;
  return { [key]: records, ...(nextCursor !== undefined && { nextCursor }) } as P;
}
