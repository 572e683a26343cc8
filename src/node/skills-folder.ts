/** Reads the files of skills from a folder, to serve them. */
import { TenonError } from '../jsonrpc/errors.ts';
import { fsModule, pathModule } from './process/builtins.ts';

/** Far more than skills have: a wrong folder is reported before it fills the memory. */
const maxFiles = 10_000;

/**
 * Reads all files below a folder, by their paths from it: pass them to `skills` of `tenon/skills`. What begins with a dot
 * is left out, and links are not followed: they could lead anywhere.
 */
export async function readSkillsFolder(folder: string): Promise<Record<string, Uint8Array>> {
  const { join, relative, sep } = pathModule();
  const { readdir, readFile } = fsModule().promises;
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const paths = entries
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath ?? entry.path, entry.name));
  const shown = paths
    .map((path) => ({ path, name: relative(folder, path).split(sep).join('/') }))
    .filter(({ name }) => !name.split('/').some((segment) => segment.startsWith('.')))
    .sort((a, b) => (a.name < b.name ? -1 : 1));
  if (shown.length > maxFiles)
    throw new TenonError('invalid-argument', `skillsFolder(): ${folder} has more than ${maxFiles} files.`, {
      hint: 'Name the folder that holds the skills and nothing else.',
    });
  const files: Record<string, Uint8Array> = {};
  for (const { path, name } of shown) files[name] = new Uint8Array(await readFile(path));
  return files;
}
