/** Reads the files of skills from a folder, to serve them. */
import { TenonError } from '../lib/errors/tenon-error.ts';
import { fsModule, pathModule } from './process/builtins.ts';

/**
 * Files that `readSkillsFolder` reads.
 * @limit skills
 * @beyond the folder is rejected
 */
const maxFiles = 10_000;

/**
 * Reads all files below a folder, by their relative paths: pass them to `skills` of `tenon/skills`. Names that begin with
 * a dot are left out. Symbolic links are not followed, since they could lead out of the folder.
 */
export async function readSkillsFolder(folder: string): Promise<Record<string, Uint8Array>> {
  const { join, relative, sep } = pathModule();
  const { readdir, readFile } = fsModule().promises;
  const entries = await readdir(folder, { recursive: true, withFileTypes: true }).catch((cause) => {
    throw unreadable(folder, cause);
  });
  const paths = entries
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath ?? entry.path, entry.name));
  const shown = paths
    .map((path) => ({ path, name: relative(folder, path).split(sep).join('/') }))
    .filter(({ name }) => !name.split('/').some((segment) => segment.startsWith('.')))
    .sort((a, b) => (a.name < b.name ? -1 : 1));
  if (shown.length > maxFiles)
    throw new TenonError('invalid-argument', `readSkillsFolder(): ${folder} has more than ${maxFiles} files.`, {
      hint: 'Pass the folder that contains only the skills.',
    });
  const files: Record<string, Uint8Array> = {};
  for (const { path, name } of shown) files[name] = new Uint8Array(await readFile(path));
  return files;
}

const unreadable = (folder: string, cause: NodeJS.ErrnoException): TenonError => {
  const problems: Readonly<Record<string, string>> = { ENOENT: 'does not exist', ENOTDIR: 'is not a folder' };
  const problem = problems[cause.code ?? ''] ?? `cannot be read (${cause.code})`;
  return new TenonError('invalid-argument', `readSkillsFolder(): ${folder} ${problem}.`, {
    hint: 'Pass the path of the folder with the skills; a relative path starts at the working directory.',
    details: { place: 'folder' },
    cause,
  });
};
