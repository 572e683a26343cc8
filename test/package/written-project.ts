/** Projects that the packed package writes, installed as npm does it but without a registry, and what holds for each. */
import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { chmod, mkdir, readdir, readFile, symlink, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { createInterface } from 'node:readline';
import { type Client, type ConnectTarget, connect, toText } from 'tenon';
import { expect, onTestFinished } from 'vitest';
import { root } from '../architecture/source-tree.ts';
import { ownDependencies } from './entries.ts';
import type { EmptyFolder } from './new-project.ts';

/** What a project needs to be developed; the rest is in its package.json. */
const developing = ['tsx', '@types/node', 'undici-types'];

/** Packages that are not among those of this repository: `npm run test:long` installs them. */
const kept = {
  frameworks: '.tenon/frameworks/node_modules',
  wrangler: '.tenon/wrangler/node_modules',
  agents: '.tenon/agents/node_modules',
} as const;

/** Why a project with these packages cannot be made, or `undefined`. */
export const whyNotKept = (name: keyof typeof kept): string | undefined =>
  existsSync(join(root, kept[name], '.tenon-lock'))
    ? undefined
    : `the packages of .tenon/${name} are not installed: \`npm run test:long\` does that`;

/** Puts the packed package, its dependencies and others where npm would. Resolves with the program of the package. */
export async function install(
  { folder, tarball, run }: EmptyFolder,
  project: string,
  ...others: readonly string[]
): Promise<string> {
  const modules = join(folder, project, 'node_modules');
  const own = join(modules, 'tenon');
  await mkdir(own, { recursive: true });
  await run('tar', ['-xzf', tarball, '--strip-components=1', '-C', own]);
  const resolved = { 'node_modules/tenon': { resolved: `file:../${tarball}` } };
  await writeFile(join(modules, '.package-lock.json'), JSON.stringify({ packages: resolved }));
  for (const name of new Set([...ownDependencies, ...others])) await link(modules, name);
  return join(own, 'dist/cli.js');
}

async function link(modules: string, name: string): Promise<void> {
  const source = ['node_modules', ...Object.values(kept)].map((folder) => join(root, folder, name)).find(existsSync);
  if (source === undefined) throw new Error(`${name} is not installed here.`);
  await mkdir(dirname(join(modules, name)), { recursive: true });
  await symlink(source, join(modules, name));
}

interface Manifest {
  readonly dependencies: Readonly<Record<string, string>>;
  readonly devDependencies: Readonly<Record<string, string>>;
  readonly scripts: { readonly build: string; readonly dev: string };
}

const node = process.execPath;
const tsc = join(root, 'node_modules/ts7/bin/tsc');

/** A project of a template, as `npm install` leaves it. */
export interface Project {
  readonly folder: string;
  readonly cli: string;
  /** The packages that it uses besides `tenon`, without those for development. */
  readonly used: readonly string[];
  readonly scripts: Manifest['scripts'];
  /** Compiles it, and returns what the compiler reports. */
  check(...options: readonly string[]): Promise<string>;
  /** Runs its tests, and returns their report. */
  test(): Promise<string>;
  /** Installs one more package. */
  add(name: string): Promise<void>;
}

/** Writes a project, and installs what it uses but what is left out. */
export async function initProject(
  empty: EmptyFolder,
  template: string,
  leftOut: readonly string[] = [],
  name = `weather-${template}`,
): Promise<Project> {
  const folder = join(empty.folder, name);
  await empty.run(node, [await install(empty, `npx-${name}`), 'init', name, '--template', template]);
  const { dependencies, devDependencies, scripts } = JSON.parse(
    await readFile(join(folder, 'package.json'), 'utf8'),
  ) as Manifest;
  expect(dependencies.tenon).toBe(`file:${empty.tarball}`);
  const isInstalled = (each: string): boolean => !['tenon', 'typescript', ...leftOut].includes(each);
  const used = Object.keys(dependencies).filter(isInstalled);
  const cli = await install(empty, name, ...used, ...Object.keys(devDependencies).filter(isInstalled), ...developing);
  const check = (...options: readonly string[]): Promise<string> => empty.run(node, [tsc, ...options], folder);
  return {
    folder,
    cli,
    used,
    scripts,
    check,
    test: () => empty.run('npm', ['test'], folder),
    add: (each) => link(join(folder, 'node_modules'), each),
  };
}

/** A project of a template: typed, tested and built, and then a package with a program beside it. */
export interface Written extends Project {
  readonly tests: string;
  /** The files of `dist`. */
  readonly built: readonly string[];
  /** The program of the packed project, where neither tsx nor TypeScript is installed. */
  readonly program: string;
}

export async function writeProject(empty: EmptyFolder, template: string): Promise<Written> {
  const name = `weather-${template}`;
  const project = await initProject(empty, template);
  const { folder, used, scripts } = project;
  expect(await project.check()).toBe('');
  const tests = await project.test();
  const [compile = '', ...others] = scripts.build.split(' && ');
  expect(await project.check(...compile.split(' ').slice(1))).toBe('');
  for (const other of others) await empty.run('sh', ['-c', other], folder);
  const built = (await readdir(join(folder, 'dist'), { recursive: true })).sort();

  await install(empty, `installed-${template}`, ...used);
  const modules = join(empty.folder, `installed-${template}`, 'node_modules');
  await mkdir(join(modules, name));
  await mkdir(join(modules, '.bin'));
  await empty.run('npm', ['pack', '--ignore-scripts', '--pack-destination', modules], folder);
  await empty.run('tar', ['-xzf', `${name}-0.1.0.tgz`, '--strip-components=1', '-C', name], modules);
  await symlink(`../${name}/dist/main.js`, join(modules, '.bin', name));
  await chmod(join(modules, name, 'dist/main.js'), 0o755);
  return { ...project, tests, built, program: join(modules, '.bin', name) };
}

/** Starts the program as a client does, or where it listens, at the URL that it prints. */
export async function connectTo(
  program: string,
  by: 'command' | 'url',
  env: Readonly<Record<string, string>> = {},
  headers: Readonly<Record<string, string>> = {},
): Promise<Client> {
  const target: ConnectTarget =
    by === 'command' ? { command: program, args: [] } : { url: await listening(program, env), headers };
  const client = await connect(target);
  onTestFinished(() => client.close());
  return client;
}

async function listening(program: string, env: Readonly<Record<string, string>>): Promise<string> {
  const child: ChildProcess = spawn(program, [], {
    cwd: dirname(program),
    env: { ...process.env, PORT: '0', ...env },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  for await (const line of createInterface({ input: child.stdout as NodeJS.ReadableStream }))
    if (line.startsWith('ready ')) return line.slice('ready '.length);
  throw new Error(`${program} ended before it listened.`);
}

/** The text that a call with the words of `tenon call` returns. */
export async function answer(client: Client, words: string): Promise<string> {
  const [tool = '', name = '', value = ''] = words.split(/[ =]/);
  return toText(await client.tools.call(tool, { [name]: /^\d+$/.test(value) ? Number(value) : value }));
}
