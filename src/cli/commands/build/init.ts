/** `tenon init`: writes a project with a server that runs, is typed and tested. */
import { mkdir, readdir, readFile, stat, writeFile } from 'node:fs/promises';
import { basename, dirname, join, relative, resolve } from 'node:path';
import type { RunCommand } from '../../io/command.ts';
import { ownDependency, packageRoot } from '../../target/own-package.ts';
import { usageError } from '../../usage-error.ts';
import { templates } from './templates.ts';

/** The name in the files of the templates. */
const templateName = 'my-server';

export const run: RunCommand = async ({ io, words, text }) => {
  const [typed = ''] = words;
  const folder = resolve(io.cwd, typed);
  const name = text('name') ?? basename(folder);
  checkName(name);
  await checkEmpty(folder);
  const template = text('template') ?? 'stdio';
  const files = await filesOf(template);
  const manifest = manifestOf(template, files.get('package.json') ?? '');
  checkUnused(name, manifest);
  await mkdir(folder, { recursive: true });
  const tenon = await ownDependency(folder);
  files.set('package.json', json({ ...manifest, dependencies: { ...manifest.dependencies, tenon } }));
  for (const [path, content] of files) {
    await mkdir(dirname(join(folder, path)), { recursive: true });
    await writeFile(join(folder, path), content.replaceAll(templateName, name), { flag: 'wx' });
  }
  const written = [...files.keys()].sort();
  const here = relative(io.cwd, folder);
  const steps = [
    ...(here === '' ? [] : [`cd ${/\s/.test(here) ? JSON.stringify(here) : here}`]),
    ...stepsOf(template, name),
  ];
  return {
    result: { folder, name, template, files: written, tenon, next: steps },
    text: [`Wrote ${written.length} files of ${name} to ${folder}. Next:`, ...steps.map((step) => `  ${step}`)].join(
      '\n',
    ),
  };
};

/** The files of a template by their paths: those of its own folder replace those of the base. */
async function filesOf(template: string): Promise<Map<string, string>> {
  const { reachedBy, note, without = [], ignored = [] } = templates[template] as (typeof templates)[string];
  const files = new Map<string, string>();
  for (const layer of ['base', template]) {
    const from = join(packageRoot(), 'templates', layer);
    for (const path of await readdir(from, { recursive: true }))
      if ((await stat(join(from, path))).isFile()) files.set(path, await readFile(join(from, path), 'utf8'));
    if (layer === 'base') for (const path of without) files.delete(join(path));
  }
  if (reachedBy !== undefined)
    files.set('.mcp.json', json({ mcpServers: { [templateName]: reachedThere[reachedBy] } }));
  return files
    .set('README.md', `${files.get('README.md')}${note === undefined ? '' : `\n${note}\n`}`)
    .set('.gitignore', ['node_modules/', 'dist/', '*.db*', '*.mcpb', ...ignored, ''].join('\n'));
}

/** The entry of a new project in `.mcp.json`. */
const reachedThere = {
  command: { command: 'node', args: ['--import', 'tsx', 'src/main.ts'] },
  url: { type: 'http', url: 'http://127.0.0.1:3000/mcp' },
};

type Manifest = Readonly<Record<string, Readonly<Record<string, string>>>>;

/** The package.json of the base, with what the template adds to its members. */
function manifestOf(template: string, base: string): Manifest {
  const { manifest = {} } = templates[template] as (typeof templates)[string];
  const described = JSON.parse(base) as Manifest;
  const added = Object.entries(manifest).map(([member, more]) => [
    member,
    Array.isArray(more) ? more : { ...described[member], ...more },
  ]);
  return { ...described, ...Object.fromEntries(added) };
}

const json = (value: unknown): string => `${JSON.stringify(value, null, 2)}\n`;

function stepsOf(template: string, name: string): string[] {
  const { starts, call } = templates[template] as (typeof templates)[string];
  const started = starts.map((step) => step.replaceAll(templateName, name));
  return ['npm install', 'npm test', ...started, ...(call === undefined ? [] : [`npx tenon call ${name} ${call}`])];
}

/** A name that npm, configuration files and file names take as it is. */
function checkName(name: string): void {
  if (/^[a-z\d][a-z\d._-]{0,213}$/.test(name)) return;
  const like = name
    .toLowerCase()
    .replace(/[^a-z\d]+/g, '-')
    .replace(/^-|-$/g, '')
    .slice(0, 50);
  throw usageError(
    `${JSON.stringify(name)} cannot be the name of a project.`,
    `Use small letters, digits, dots, dashes and underscores: --name ${like === '' ? templateName : like}.`,
  );
}

/** A project named like a package that it uses would hide the package: npx would start the project. */
function checkUnused(name: string, { dependencies, devDependencies }: Manifest): void {
  const used = { ...dependencies, ...devDependencies };
  if (!Object.hasOwn(used, name)) return;
  throw usageError(
    `${JSON.stringify(name)} is a package that the project uses.`,
    `Choose another name: --name my-${name}.`,
  );
}

/** Nothing of a user is overwritten. */
async function checkEmpty(folder: string): Promise<void> {
  const there = await readdir(folder).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return [];
    throw usageError(`${folder} is not a folder.`, 'Name a folder that is empty, or that is not there yet.');
  });
  // A repository without files yet, what macOS adds, and the tarball that this program was installed from.
  const others = there.filter((entry) => !/^(?:\.git|\.DS_Store|tenon-.*\.tgz)$/.test(entry));
  if (others.length > 0)
    throw usageError(`${folder} has files: ${others.slice(0, 3).join(', ')}.`, 'Name a folder that is empty.');
}
