/** What package.json says about a server that is published, checked as a whole. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parseUrl } from '../../lib/text/parse-url.ts';
import { isSecretName } from '../../lib/text/secret-names.ts';
import { type Fields, isFilledString, isRecord } from '../../lib/values/is.ts';
import { usageError } from '../usage-error.ts';
import { type DeclaredInput, headerName, readInputs, variableName } from './declared-inputs.ts';
import { type Report, withoutProblems } from './problems.ts';

/** The repository, as registries want it. */
export interface Repository {
  readonly url: string;
  readonly source: 'github' | 'gitlab';
  readonly subfolder?: string;
}

/** An endpoint over HTTP. */
export interface Remote {
  readonly type: 'streamable-http' | 'sse';
  readonly url: string;
  readonly headers?: readonly DeclaredInput[];
}

export interface PackageSettings {
  /** The absolute path of the project. Nothing that is written has it. */
  readonly folder: string;
  readonly name: string;
  readonly version: string;
  /** The name in registries: that of a domain, reversed, a slash, and one of the server. */
  readonly mcpName: string;
  readonly description: string | undefined;
  readonly author: { readonly name: string; readonly email?: string; readonly url?: string } | undefined;
  readonly license: string | undefined;
  readonly websiteUrl: string | undefined;
  readonly repository: Repository | undefined;
  readonly nodeVersions: string | undefined;
  /** Whether npm has the package. */
  readonly isOnNpm: boolean;
  /** The program that clients start, relative to the folder; absent for a server that has only remotes. */
  readonly stdio: string | undefined;
  /** The file of the server that is read where there is no such program. */
  readonly server: string | undefined;
  readonly remotes: readonly Remote[];
  readonly env: readonly DeclaredInput[];
  /** Absent if none is made. */
  readonly bundle: BundleSettings | undefined;
}

export interface BundleSettings {
  /** Files and folders that it has besides the program. */
  readonly files: readonly string[];
  /** Where it can be downloaded; registries then name it. */
  readonly url: string | undefined;
}

/** Registries refuse longer descriptions and titles. */
export const maxDescription = 100;

const known = ['server', 'stdio', 'remotes', 'env', 'bundle'];

export async function readSettings(folder: string): Promise<PackageSettings> {
  const path = join(folder, 'package.json');
  const text = await readFile(path, 'utf8').catch(() => {
    throw usageError(
      `There is no package.json in ${folder}.`,
      'Name the folder of a project: tenon package ./weather.',
    );
  });
  let manifest: unknown;
  try {
    manifest = JSON.parse(text);
  } catch (error) {
    throw usageError(`${path} is not JSON: ${(error as Error).message}.`, 'Correct it.');
  }
  if (!isRecord(manifest)) throw usageError(`${path} is not an object.`, 'Correct it.');
  return withoutProblems((report) => settingsOf(folder, manifest as Fields, report));
}

/** The settings of a package.json; what is wrong is reported. */
export function settingsOf(folder: string, manifest: Fields, report: Report): PackageSettings {
  const own = isRecord(manifest.tenon) ? manifest.tenon : {};
  if (manifest.tenon !== undefined && own !== manifest.tenon) report('tenon of package.json must be an object.');
  for (const member of Object.keys(own))
    if (!known.includes(member)) report(`tenon.${member} of package.json is unknown. There are ${known.join(', ')}.`);
  const remotes = remotesOf(own.remotes, report);
  const program = pathIn(programOf(manifest), 'bin', report);
  const stdio = pathIn(own.stdio, 'tenon.stdio', report) ?? (remotes.length === 0 ? program : undefined);
  const isOnNpm = manifest.private !== true && stdio !== undefined;
  const version = required(manifest.version, 'version', report);
  const bundle = bundleOf(own.bundle, version, report);
  checkNames(manifest, report);
  if (stdio === undefined && remotes.length === 0)
    report('Nothing can be installed: package.json needs a bin, tenon.stdio or tenon.remotes.');
  else if (!isOnNpm && remotes.length === 0 && bundle?.url === undefined)
    report('The package is private: take "private" out, or set tenon.bundle.url or tenon.remotes.');
  const description = textOf(manifest.description);
  if (description !== undefined && description.length > maxDescription)
    report(`The description has ${description.length} characters. Registries take ${maxDescription}.`);
  const author = authorOf(manifest.author);
  if (stdio !== undefined && bundle !== undefined && author === undefined)
    report('package.json needs an author: a bundle names who made it.');
  const server = pathIn(own.server, 'tenon.server', report) ?? program;
  if (stdio === undefined && remotes.length > 0 && server === undefined)
    report('tenon.server must be the file of the server, such as "dist/server.js": there is no bin.');
  if (stdio !== undefined && !/\.m?js$/.test(stdio))
    report(`${stdio} is not built: tenon.stdio or bin must be a file that ends with .js or .mjs.`);
  return {
    folder,
    name: required(manifest.name, 'name', report),
    version,
    mcpName: String(manifest.mcpName),
    description,
    author,
    license: textOf(manifest.license),
    websiteUrl: urlIn(manifest.homepage, 'homepage', report),
    repository: repositoryOf(manifest.repository),
    nodeVersions: isRecord(manifest.engines) ? textOf(manifest.engines.node) : undefined,
    isOnNpm,
    stdio,
    server,
    remotes,
    env: readInputs(own.env, 'tenon.env', variableName, report),
    bundle: stdio === undefined ? undefined : bundle,
  };
}

function checkNames({ name, mcpName, version }: Fields, report: Report): void {
  if (typeof name === 'string' && !/^(?:@[\w~-][\w.~-]*\/)?[\w~-][\w.~-]*$/.test(name))
    report(`name of package.json cannot be ${JSON.stringify(name)}: npm takes small letters, digits, dots and dashes.`);
  if (typeof mcpName !== 'string' || mcpName.length > 200 || !/^[a-zA-Z\d.-]+\/[a-zA-Z\d._-]+$/.test(mcpName))
    report('mcpName of package.json must be a reversed domain and a name, such as "io.github.me/weather".');
  if (typeof version === 'string' && !/^\d+\.\d+\.\d+(?:[-+][\w.+-]+)?$/.test(version))
    report(`version of package.json must be one version, such as 1.0.0: it is ${JSON.stringify(version)}.`);
}

const textOf = (value: unknown): string | undefined => (isFilledString(value) ? value : undefined);

function required(value: unknown, place: string, report: Report): string {
  if (isFilledString(value)) return value;
  report(`package.json needs ${place}.`);
  return '';
}

/** The only program of a package, or the one that has its name. */
function programOf({ bin, name }: Fields): string | undefined {
  if (typeof bin === 'string') return relativePath(bin);
  if (!isRecord(bin)) return undefined;
  const own =
    bin[String(name).replace(/^@[^/]*\//, '')] ?? (Object.keys(bin).length === 1 ? Object.values(bin)[0] : '');
  return isFilledString(own) ? relativePath(own) : undefined;
}

const relativePath = (path: string): string => path.replace(/^\.\//, '');

/** A path that stays in the folder. */
export function pathIn(value: unknown, place: string, report: Report): string | undefined {
  if (value === undefined) return undefined;
  const isInside = isFilledString(value) && !/^(?:[\\/~]|[a-z]:)/i.test(value) && !value.split(/[\\/]/).includes('..');
  if (isInside) return relativePath(value).replaceAll('\\', '/').replace(/\/+$/, '');
  report(`${place} must be a path inside the folder, such as "dist/main.js".`);
  return undefined;
}

/** `{ files, url }`, or `false`. */
function bundleOf(value: unknown, version: string, report: Report): BundleSettings | undefined {
  if (value === false) return undefined;
  if (value !== undefined && !isRecord(value))
    report('tenon.bundle must be an object such as { "files": ["assets"] }, or false.');
  const { files = [], url, ...others } = isRecord(value) ? value : {};
  for (const other of Object.keys(others)) report(`tenon.bundle.${other} is unknown. There are files, url.`);
  if (!Array.isArray(files)) report('tenon.bundle.files must be a list of files and folders, such as ["assets"].');
  return {
    files: (Array.isArray(files) ? files : []).map((one) => pathIn(one, 'Each of tenon.bundle.files', report) ?? ''),
    url: urlIn(url, 'tenon.bundle.url', report)?.replaceAll('{version}', version),
  };
}

/** A URL that all may see: https, without a password or a secret. */
function urlIn(value: unknown, place: string, report: Report): string | undefined {
  if (value === undefined) return undefined;
  const url = typeof value === 'string' ? parseUrl(value) : undefined;
  if (url === undefined || url.protocol !== 'https:') report(`${place} must be a URL with https.`);
  else if (url.username !== '' || url.password !== '' || [...url.searchParams.keys()].some(isSecretName))
    report(`${place} has a password or a key in its URL, which would be published: declare it as a header.`);
  return value as string;
}

function remotesOf(value: unknown, report: Report): readonly Remote[] {
  if (value === undefined) return [];
  if (!Array.isArray(value) || !value.every(isRecord)) {
    report('tenon.remotes must be a list such as [{ "url": "https://example.com/mcp" }].');
    return [];
  }
  return value.map(({ url, type = 'streamable-http', headers, ...others }, index) => {
    const place = `tenon.remotes[${index}]`;
    if (type !== 'streamable-http' && type !== 'sse') report(`${place}.type must be streamable-http or sse.`);
    for (const other of Object.keys(others)) report(`${place}.${other} is unknown. There are url, type, headers.`);
    if (url === undefined) report(`${place} needs a url.`);
    const read = readInputs(headers, `${place}.headers`, headerName, report);
    return {
      type: type as Remote['type'],
      url: urlIn(url, `${place}.url`, report) ?? '',
      ...(read.length > 0 && { headers: read }),
    };
  });
}

/** `"Name <email> (url)"`, or an object. */
function authorOf(author: unknown): PackageSettings['author'] {
  const { name, email, url } = isRecord(author)
    ? author
    : (/^(?<name>[^<(]+?)\s*(?:<(?<email>[^>]+)>)?\s*(?:\((?<url>[^)]+)\))?$/.exec(String(author ?? ''))?.groups ?? {});
  if (!isFilledString(name)) return undefined;
  return { name, ...(isFilledString(email) && { email }), ...(isFilledString(url) && { url }) };
}

/** All forms that npm reads: `me/weather`, `github:me/weather`, a URL. Undefined for hosts that registries do not know. */
export function repositoryOf(value: unknown): Repository | undefined {
  const given = isRecord(value) ? value.url : value;
  if (!isFilledString(given)) return undefined;
  const text = given
    .replace(/^(?:git\+)?(?:https|ssh|git):\/\/(?:[^@/]*@)?/, '')
    .replace(/^git@([^:/]+):/, '$1/')
    .replace(/\.git$/, '');
  const [, host = 'github', path = ''] =
    /^(?:(?:(github|gitlab)(?::|\.com\/))|(?=[\w.-]+\/[\w.-]+$))([\w.-]+(?:\/[\w.-]+)+?)$/.exec(text) ?? [];
  if (path === '') return undefined;
  const subfolder = isRecord(value) && isFilledString(value.directory) ? { subfolder: value.directory } : {};
  return { url: `https://${host}.com/${path}`, source: host as Repository['source'], ...subfolder };
}
