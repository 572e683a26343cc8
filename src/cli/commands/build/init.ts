/** `tenon init`: writes a project with a server that runs, is typed and tested. */
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { basename, dirname, join, relative, resolve } from 'node:path';
import type { RunCommand } from '../../io/command.ts';
import { ownDependency, packageRoot } from '../../target/own-package.ts';
import { usageError } from '../../usage-error.ts';

/** The name in the files of the template. */
const templateName = 'my-server';

/** npm leaves files of these names out of a package. */
const renamed: Readonly<Record<string, string>> = { gitignore: '.gitignore', 'mcp.json': '.mcp.json' };

export const run: RunCommand = async ({ io, words, text }) => {
  const [typed = ''] = words;
  const folder = resolve(io.cwd, typed);
  const name = text('name') ?? basename(folder);
  checkName(name);
  await checkEmpty(folder);
  const template = join(packageRoot(), 'templates', 'server');
  const files = (await readdir(template, { recursive: true, withFileTypes: true })).filter((entry) => entry.isFile());
  await mkdir(folder, { recursive: true });
  const tenon = await ownDependency(folder);
  const written: string[] = [];
  for (const entry of files) {
    // Node before 20.12 has it under its older name.
    const from = join(entry.parentPath ?? entry.path, entry.name);
    const within = relative(template, from);
    const path = join(dirname(within), renamed[within] ?? entry.name);
    await mkdir(dirname(join(folder, path)), { recursive: true });
    await writeFile(join(folder, path), filled(path, await readFile(from, 'utf8'), name, tenon), { flag: 'wx' });
    written.push(path);
  }
  written.sort();
  const here = relative(io.cwd, folder);
  const steps = [
    ...(here === '' ? [] : [`cd ${here}`]),
    'npm install',
    'npm test',
    `npx tenon call ${name} forecast city=Oslo`,
  ];
  return {
    result: { folder, name, files: written, tenon, next: steps },
    text: [`Wrote ${written.length} files of ${name} to ${folder}. Next:`, ...steps.map((step) => `  ${step}`)].join(
      '\n',
    ),
  };
};

function filled(path: string, text: string, name: string, tenon: string): string {
  const named = text.replaceAll(templateName, name);
  if (path !== 'package.json') return named;
  const described = JSON.parse(named) as { dependencies: Record<string, string> };
  described.dependencies.tenon = tenon;
  return `${JSON.stringify(described, null, 2)}\n`;
}

/** A name that npm, configuration files and file names take as it is. */
function checkName(name: string): void {
  if (/^[a-z\d][a-z\d._-]{0,213}$/.test(name)) return;
  throw usageError(
    `${JSON.stringify(name)} cannot be the name of a project.`,
    'Use small letters, digits, dots, dashes and underscores: --name my-server.',
  );
}

/** Nothing of a user is overwritten. */
async function checkEmpty(folder: string): Promise<void> {
  const there = await readdir(folder).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return [];
    throw usageError(`${folder} is not a folder.`, 'Name a folder that is empty, or that is not there yet.');
  });
  // A repository without files yet, and the tarball that this program was installed from.
  const others = there.filter((entry) => entry !== '.git' && !/^tenon-.*\.tgz$/.test(entry));
  if (others.length > 0)
    throw usageError(`${folder} has files: ${others.slice(0, 3).join(', ')}.`, 'Name a folder that is empty.');
}
