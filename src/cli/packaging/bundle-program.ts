/** Makes one file of a program and all that it imports, by the esbuild of the project. */
import { existsSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { TenonError } from '../../lib/errors/tenon-error.ts';
import { resolvedFrom } from '../target/import-module.ts';
import { invalidPackage } from './problems.ts';

/** What of esbuild is used. */
interface Esbuild {
  build(options: object): Promise<{
    readonly outputFiles: readonly { readonly contents: Uint8Array }[];
    readonly metafile: { readonly inputs: Readonly<Record<string, unknown>> };
  }>;
}

interface BuildFailure {
  readonly errors?: readonly { readonly text: string; readonly location?: { readonly file: string } | null }[];
}

/** Optional packages of Tenon, each loaded when an option needs it. What the project does not use is not there. */
const optional = ['libsql', 'ioredis', 'pg', 'undici', 'oidc-provider', '@opentelemetry/api'];

/** Packages in CommonJS require modules of Node, which a file in ESM cannot without this. */
const requireBanner =
  "import { createRequire as createRequireOfBundle } from 'node:module'; globalThis.require ??= createRequireOfBundle(import.meta.url);";

export interface BundledProgram {
  readonly code: Uint8Array;
  /** The licences of the packages in it; undefined if there are none. */
  readonly notices: string | undefined;
}

/** The program as one ESM file. Neither paths nor names of folders are in it. */
export async function bundleProgram(folder: string, program: string): Promise<BundledProgram> {
  const path = join(folder, program);
  if (!existsSync(path)) throw invalidPackage([`There is no ${program}.`], 'Build the project first: npm run build.');
  const esbuild = await esbuildOf(path);
  try {
    const { outputFiles, metafile } = await esbuild.build({
      entryPoints: [path],
      absWorkingDir: folder,
      bundle: true,
      write: false,
      metafile: true,
      platform: 'node',
      format: 'esm',
      target: 'node20',
      charset: 'utf8',
      // Comments and names of modules would have paths. Constants are not inlined: hidden imports stay hidden.
      minifyWhitespace: true,
      minifyIdentifiers: true,
      keepNames: true,
      legalComments: 'none',
      logLevel: 'silent',
      external: optional.filter((name) => resolvedFrom(path, name) === undefined || name === 'undici'),
      banner: { js: requireBanner },
    });
    const notices = await thirdPartyNotices(folder, Object.keys(metafile.inputs));
    return { code: outputFiles[0]?.contents ?? new Uint8Array(), notices };
  } catch (error) {
    throw notBundled(program, error as BuildFailure);
  }
}

async function esbuildOf(path: string): Promise<Esbuild> {
  const tsx = resolvedFrom(path, 'tsx');
  // tsx brings one, which package managers do not always install where the project finds it.
  const found = resolvedFrom(path, 'esbuild') ?? (tsx && resolvedFrom(fileURLToPath(tsx), 'esbuild'));
  if (found !== undefined) return ((await import(found)) as { readonly default: Esbuild }).default;
  throw new TenonError('missing-package', 'The package esbuild is not installed in the project.', {
    hint: 'Run `npm install --save-dev esbuild`.',
  });
}

function notBundled(program: string, error: BuildFailure): TenonError {
  const problems = (error.errors ?? []).map(({ text, location }) =>
    location == null ? text : `${location.file}: ${text}`,
  );
  const isNative = problems.some((problem) => problem.includes('".node" files'));
  return invalidPackage(
    problems.length > 0 ? problems.slice(0, 10) : [`${program} cannot be bundled: ${String(error)}`],
    isNative
      ? 'A package has a native part, which no bundle can have: use another one, or make none: "bundle": false.'
      : 'Check what the program imports, or run npm install.',
  );
}

/** The licences of the packages whose code is in the program: most have to go with it. Undefined without packages. */
async function thirdPartyNotices(folder: string, sources: readonly string[]): Promise<string | undefined> {
  const roots = new Set(sources.flatMap((path) => /^.*node_modules\/(?:@[^/]+\/)?[^/]+(?=\/)/.exec(path)?.[0] ?? []));
  const notices = await Promise.all([...roots].map((root) => noticeOf(join(folder, root))));
  if (notices.length === 0) return undefined;
  const unique = [...new Set(notices)].sort((one, other) => (one < other ? -1 : 1));
  return ['The program includes code of these packages.\n', ...unique].join(`\n${'-'.repeat(80)}\n\n`);
}

async function noticeOf(root: string): Promise<string> {
  const { name, version, license } = JSON.parse(await readFile(join(root, 'package.json'), 'utf8')) as {
    readonly [member in 'name' | 'version' | 'license']?: unknown;
  };
  const files = (await readdir(root)).sort().filter((entry) => legalFile.test(entry));
  const texts = await Promise.all(files.map((file) => readFile(join(root, file), 'utf8')));
  const own = `${name} ${version} (${typeof license === 'string' ? license : 'see its package'})\n`;
  return [own, ...texts.map((text) => `${text.trim()}\n`)].join('\n');
}

/** A licence, and what a package includes of others. */
const legalFile = /^(?:licen[cs]e|notice|third-party-notices)(?:\.(?:md|txt))?$/i;
