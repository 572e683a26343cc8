/** Files of one folder as resources: listed, read, and watched. No URI reaches outside the folder. */
import { readdirSync, statSync, watch } from 'node:fs';
import { open, realpath } from 'node:fs/promises';
import { extname, isAbsolute, join, relative, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import { resource, resourceTemplate, rpcError, type Server } from 'tenon';

const maxBytes = 1024 * 1024;
const maxListed = 200;
const types: Readonly<Record<string, string>> = {
  '.txt': 'text/plain',
  '.md': 'text/markdown',
  '.csv': 'text/csv',
  '.json': 'application/json',
};

const ownFolder = fileURLToPath(new URL('./files', import.meta.url));
const uriOf = (path: string): string => `file:///${path.split(sep).map(encodeURIComponent).join('/')}`;

export function createFiles(folder: string = process.env.DEMO_FILES ?? ownFolder) {
  const read = (path: string) => contentsOf(folder, path);
  const list = () => Object.fromEntries(pathsIn(folder).map((path) => [uriOf(path), asResource(path)]));
  const asResource = (path: string) => {
    const mimeType = types[extname(path)];
    const options = { name: path, size: statSync(join(folder, path)).size, ...(mimeType && { mimeType }) };
    return resource(options, async () => {
      const contents = await read(path);
      if (contents === undefined) throw rpcError('resource-not-found', `${path} does not exist any more`);
      return contents;
    });
  };

  return {
    resources: list(),
    templates: {
      'file:///{+path}': resourceTemplate(
        {
          title: 'A file of the folder',
          complete: { path: (typed) => pathsIn(folder).filter((path) => path.startsWith(typed)) },
        },
        ({ path }) => read(String(path)),
      ),
    },
    /** Notifies a server of changes while the process runs. The watcher does not keep the process alive. */
    notify(server: Pick<Server, 'update' | 'sendResourceUpdated'>): void {
      watch(folder, { recursive: true, persistent: false }, (kind, path) => {
        if (path === null || path.split(sep).some(isHidden)) return;
        if (kind === 'change') return server.sendResourceUpdated(uriOf(path));
        server.update(({ resources }) => {
          for (const uri of Object.keys(resources)) if (uri.startsWith('file:///')) delete resources[uri];
          Object.assign(resources, list());
        });
      }).on('error', () => {});
    },
  };
}

const isHidden = (name: string): boolean => name.startsWith('.');

/** The files to list, folder by folder, without links and hidden files. */
function pathsIn(folder: string, under = ''): string[] {
  const paths: string[] = [];
  for (const entry of readdirSync(join(folder, under), { withFileTypes: true })) {
    const path = join(under, entry.name);
    if (isHidden(entry.name)) continue;
    if (entry.isFile()) paths.push(path);
    else if (entry.isDirectory()) paths.push(...pathsIn(folder, path));
    if (paths.length >= maxListed) break;
  }
  return paths.slice(0, maxListed).sort();
}

/** The text of a file, or its bytes if it is not UTF-8. `undefined` for a file that is missing or outside the folder. */
async function contentsOf(folder: string, path: string): Promise<string | Uint8Array | undefined> {
  const file = await fileIn(folder, path);
  if (file === undefined) return undefined;
  await using handle = await open(file, 'r');
  const stat = await handle.stat();
  if (!stat.isFile()) return undefined;
  if (stat.size > maxBytes)
    throw rpcError('invalid-params', `${path} has ${stat.size} bytes; the limit is ${maxBytes}`);
  const bytes = await handle.readFile();
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    return bytes;
  }
}

/** The real path of a file, with links followed. `undefined` if it is outside the folder, hidden or missing. */
async function fileIn(folder: string, path: string): Promise<string | undefined> {
  if (path.split(/[/\\]/).some((part) => part === '..' || isHidden(part)) || path.includes('\0')) return undefined;
  const found = await realpath(join(folder, path)).catch(() => undefined);
  if (found === undefined) return undefined;
  const inside = relative(await realpath(folder), found);
  return inside === '..' || inside.startsWith(`..${sep}`) || isAbsolute(inside) ? undefined : found;
}
