/** Files of one folder as resources: listed, read, and watched. No URI reaches outside the folder. */
import { watch } from 'node:fs';
import { extname, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type ResourceDefinition, resource, resourceTemplate, rpcError, type Server, TenonError } from 'tenon';
import { createPathRoot } from 'tenon/input-safety';

const maxFileBytes = 1024 * 1024;
const types: Readonly<Record<string, string>> = {
  '.txt': 'text/plain',
  '.md': 'text/markdown',
  '.csv': 'text/csv',
  '.json': 'application/json',
};

const ownFolder = fileURLToPath(new URL('./files', import.meta.url));
const uriOf = (path: string): string => `file:///${path.split('/').map(encodeURIComponent).join('/')}`;

export async function createFiles(folder: string = process.env.DEMO_FILES ?? ownFolder) {
  const root = createPathRoot(folder, { maxFileBytes });

  /** The text of a file, or its bytes if it is not UTF-8. `undefined` for a file that is missing or outside the folder. */
  const read = async (path: string): Promise<string | Uint8Array | undefined> => {
    try {
      return textOrBytes(await root.read(path));
    } catch (error) {
      if (!(error instanceof TenonError)) throw error;
      if (error.code === 'file-too-large') throw rpcError('invalid-params', error.message);
      return undefined;
    }
  };

  const asResource = async (path: string): Promise<ResourceDefinition> => {
    const mimeType = types[extname(path)];
    await using file = await root.open(path);
    return resource({ name: path, size: file.size, ...(mimeType && { mimeType }) }, async () => {
      const contents = await read(path);
      if (contents === undefined) throw rpcError('resource-not-found', `${path} does not exist any more`);
      return contents;
    });
  };

  const list = async (): Promise<Record<string, ResourceDefinition>> => {
    const listed: Record<string, ResourceDefinition> = {};
    for (const path of await root.list()) {
      const found = await asResource(path).catch(() => undefined);
      if (found !== undefined) listed[uriOf(path)] = found;
    }
    return listed;
  };

  return {
    resources: await list(),
    templates: {
      'file:///{+path}': resourceTemplate(
        {
          title: 'A file of the folder',
          complete: { path: async (typed) => (await root.list()).filter((path) => path.startsWith(typed)) },
        },
        ({ path }) => read(String(path)),
      ),
    },
    /** Notifies a server of changes while the process runs. The watcher does not keep the process alive. */
    notify(server: Pick<Server, 'update' | 'sendResourceUpdated'>): void {
      let listing = Promise.resolve();
      const listAgain = async (): Promise<void> => {
        const listed = await list();
        server.update(({ resources }) => {
          for (const uri of Object.keys(resources)) if (uri.startsWith('file:///')) delete resources[uri];
          Object.assign(resources, listed);
        });
      };
      watch(folder, { recursive: true, persistent: false }, (kind, path) => {
        if (path === null || path.split(sep).some((name) => name.startsWith('.'))) return;
        if (kind === 'change') return server.sendResourceUpdated(uriOf(path.split(sep).join('/')));
        listing = listing.then(listAgain).catch(() => {});
      }).on('error', () => {});
    },
  };
}

function textOrBytes(bytes: Uint8Array): string | Uint8Array {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    return bytes;
  }
}
