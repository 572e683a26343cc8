/** Makes all that is published of a server: in memory, so that it can be written or compared. */
import { createHash } from 'node:crypto';
import { lstat, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { isRecord } from '../../lib/values/is.ts';
import type { Io } from '../io/io.ts';
import { loadServer } from '../target/module-target.ts';
import { chooseFiles, refuseLarge } from './bundle-files.ts';
import { bundleManifest, plainName } from './bundle-manifest.ts';
import { bundleProgram } from './bundle-program.ts';
import { type InstallLinks, installLinks, withLinks } from './install-links.ts';
import { refusePrivateTexts } from './private-texts.ts';
import { describe, serverCard, serverJson } from './registry-documents.ts';
import { type BundleSettings, type PackageSettings, readSettings } from './settings.ts';
import { type PublishedServer, publishedBy, startBundle, startProgram } from './start-program.ts';
import { zip } from './zip.ts';

export interface MadePackage {
  /** The files of JSON by their names. */
  readonly documents: ReadonlyMap<string, unknown>;
  readonly bundle: MadeBundle | undefined;
  /** README.md with its links; undefined if it has no place for them. */
  readonly readme: string | undefined;
  readonly links: InstallLinks;
}

export interface MadeBundle {
  readonly file: string;
  readonly bytes: Uint8Array;
  readonly sha256: string;
  readonly files: readonly string[];
  readonly leftOut: readonly string[];
}

/** A bundle without its manifest, which has what the server says when it is started from it. */
interface Unfinished {
  readonly files: Map<string, Uint8Array>;
  readonly leftOut: readonly string[];
}

export async function makePackage(folder: string, io: Io): Promise<MadePackage> {
  const settings = await readSettings(folder);
  const { bundle: wanted, stdio, env, name } = settings;
  const unfinished =
    stdio === undefined || wanted === undefined ? undefined : await filesOfBundle(settings, stdio, wanted);
  const server = await publishedServer(settings, unfinished, io);
  const description = describe(settings, server);
  const outputs = new Map<string, string>();
  let bundle: MadeBundle | undefined;
  if (unfinished !== undefined) {
    const manifest = jsonText(bundleManifest(description, settings, server));
    unfinished.files.set('manifest.json', bytesOf(manifest));
    bundle = finished(`${plainName(name)}.mcpb`, unfinished);
    for (const [path, content] of unfinished.files)
      outputs.set(`${bundle.file}: ${path}`, new TextDecoder().decode(content));
  }
  const documents = new Map<string, unknown>([
    ['server.json', await withOwnMeta(folder, serverJson(description, settings, bundle?.sha256))],
    ...(settings.remotes.length > 0 ? [['server-card.json', serverCard(description, settings)] as const] : []),
  ]);
  const links = installLinks(settings);
  for (const [file, document] of documents) outputs.set(file, jsonText(document));
  outputs.set('README.md', JSON.stringify(links));
  refusePrivateTexts(outputs, { folder, env }, io.env);
  const readme = await readFile(join(folder, 'README.md'), 'utf8').catch(() => '');
  return { documents, bundle, readme: withLinks(readme, links), links };
}

export const jsonText = (value: unknown): string => `${JSON.stringify(value, null, 2)}\n`;

const bytesOf = (text: string): Uint8Array => new TextEncoder().encode(text);

async function publishedServer(
  { folder, stdio, server = '', env }: PackageSettings,
  bundle: Unfinished | undefined,
  io: Io,
): Promise<PublishedServer> {
  if (stdio === undefined) return publishedBy((await loadServer(server, { ...io, cwd: folder })).server, io.signal);
  if (bundle === undefined) return startProgram(folder, stdio, env, io.signal);
  return startBundle(bundle.files, stdio, env, io.signal);
}

async function filesOfBundle(settings: PackageSettings, program: string, wanted: BundleSettings): Promise<Unfinished> {
  const { folder, name, version } = settings;
  const licence = await lstat(join(folder, 'LICENSE')).then(
    (found) => (found.isFile() ? ['LICENSE'] : []),
    () => [],
  );
  const { files, leftOut } = await chooseFiles(folder, [...new Set([...licence, ...wanted.files])]);
  const { code, notices } = await bundleProgram(folder, program);
  files.set('package.json', bytesOf(jsonText({ name, version, private: true, type: 'module' })));
  if (notices !== undefined) files.set('THIRD-PARTY-NOTICES', bytesOf(notices));
  files.set(program, code);
  const bytes = [...files.values()].reduce((total, content) => total + content.length, 0);
  refuseLarge(bytes, files.size);
  return { files, leftOut };
}

function finished(file: string, { files, leftOut }: Unfinished): MadeBundle {
  const bytes = zip(files);
  const sha256 = createHash('sha256').update(bytes).digest('hex');
  return { file, bytes, sha256, files: [...files.keys()].sort(), leftOut };
}

/** `_meta` of `server.json` is its author's. */
async function withOwnMeta(folder: string, document: object): Promise<object> {
  const { _meta } = await readJson(join(folder, 'server.json'));
  return _meta === undefined ? document : { ...document, _meta };
}

/** The object in a file; an empty one if there is none. */
export async function readJson(path: string): Promise<Readonly<Record<string, unknown>>> {
  const text = await readFile(path, 'utf8').catch(() => '{}');
  try {
    const value: unknown = JSON.parse(text);
    return isRecord(value) ? value : {};
  } catch {
    return {};
  }
}
