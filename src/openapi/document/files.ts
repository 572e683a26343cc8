/** Reads the texts of a document and of the files that it refers to: files of one folder, or URLs of one origin. */
import { basename, dirname, resolve } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { createPathRoot } from '../../input-safety/paths/path-root.ts';
import { createUrlGuard } from '../../input-safety/urls/url-guard.ts';
import { TenonError } from '../../lib/errors/tenon-error.ts';
import { parseUrl } from '../../lib/text/parse-url.ts';
import { shown } from '../../lib/text/shown.ts';
import { invalidDocument } from './document.ts';

/** Where a document comes from. */
export interface Files {
  /** The URL of the document itself. */
  readonly url: string;
  /** The text at a URL. Throws for one outside the folder or the origin of the document. */
  read(url: string): Promise<string>;
  /** Closes idle connections. */
  close(): Promise<void>;
}

export interface FileBounds {
  readonly allowedNetworks?: readonly string[];
  readonly maxDocumentBytes: number;
  readonly timeoutMs: number;
}

export const tooLarge = (maxDocumentBytes: number): TenonError =>
  new TenonError('file-too-large', `The OpenAPI document has more than ${maxDocumentBytes} bytes.`, {
    hint: 'Raise maxDocumentBytes.',
  });

export function openFiles(source: string | URL, bounds: FileBounds): Files {
  const url = typeof source === 'string' ? webUrl(source) : source;
  if (url !== undefined && url.protocol !== 'file:') return originFiles(url, bounds);
  const path = resolve(url === undefined ? String(source) : fileURLToPath(url));
  return folderFiles(path, bounds);
}

/** `C:\api.json` is a path, though it reads as a URL. */
const webUrl = (text: string): URL | undefined => (/^(?:https?|file):\/\//i.test(text) ? parseUrl(text) : undefined);

function folderFiles(path: string, { maxDocumentBytes }: FileBounds): Files {
  const folder = dirname(path);
  // Only the document that was named may be a hidden file.
  const isHidden = basename(path).startsWith('.');
  const rootOf = (hidden: boolean) => createPathRoot(folder, { maxFileBytes: maxDocumentBytes, hidden });
  const url = pathToFileURL(path).href;
  return {
    url,
    async read(wanted) {
      if (!wanted.startsWith('file:')) throw outside(wanted);
      const root = rootOf(isHidden && wanted === url);
      const bytes = await root.read(wanted).catch((error: unknown) => {
        throw error instanceof TenonError && error.code === 'file-too-large' ? tooLarge(maxDocumentBytes) : error;
      });
      return textIn(bytes);
    },
    close: async () => {},
  };
}

function originFiles(document: URL, { maxDocumentBytes, timeoutMs, allowedNetworks = [] }: FileBounds): Files {
  const { origin } = document;
  const guard = createUrlGuard({ allow: [origin], allowedNetworks, timeoutMs, maxResponseBytes: maxDocumentBytes });
  return {
    url: document.href,
    async read(wanted) {
      if (new URL(wanted).origin !== origin) throw outside(wanted);
      const response = await guard.fetch(wanted, {
        headers: { accept: 'application/json, application/yaml;q=0.9, */*;q=0.5' },
      });
      if (!response.ok) {
        await response.body?.cancel();
        throw invalidDocument(
          `${document.host} answered ${response.status} for the OpenAPI document.`,
          'Check the URL.',
        );
      }
      return textIn(new Uint8Array(await response.arrayBuffer()));
    },
    close: () => guard.close(),
  };
}

const outside = (url: string): TenonError =>
  invalidDocument(
    `The document refers to ${shown(url)}, which is outside its folder or origin.`,
    'Copy the file to the folder of the document.',
  );

function textIn(bytes: Uint8Array): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    throw new TenonError('invalid-utf8', 'The OpenAPI document is not UTF-8.', { hint: 'Save it as UTF-8.' });
  }
}
