/** The files of the built page: `index.html`, and what is below `assets/`. */
import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, extname, join } from 'node:path';
import { pagePolicy, safeHeaders } from './page-policy.ts';

export interface PageFile {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | Buffer;
}

const types: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.png': 'image/png',
  '.ico': 'image/x-icon',
  '.woff2': 'font/woff2',
  '.json': 'application/json',
  '.wasm': 'application/wasm',
};

/** No folders, no dots at the beginning: nothing outside the built page can be named. */
const assetPath = /^\/(?:assets\/)?\w[\w.-]*$/;

/** Whether the page may have a file at this path. */
export const isPagePath = (path: string): boolean => path === '/' || (assetPath.test(path) && extname(path) in types);

export async function pageFile(folder: string, path: string, apps: string | undefined): Promise<PageFile | undefined> {
  if (path === '/' || path === '/index.html') return index(folder, apps);
  const type = types[extname(path)];
  const body = assetPath.test(path) && type !== undefined ? await contents(join(folder, path)) : undefined;
  if (body === undefined || type === undefined) return undefined;
  // Their names change with their contents.
  const cached = path.startsWith('/assets/') ? 'private, max-age=31536000, immutable' : 'no-store';
  const policy = pagePolicy(apps);
  return {
    status: 200,
    headers: { ...safeHeaders, 'content-type': type, 'cache-control': cached, 'content-security-policy': policy },
    body,
  };
}

async function index(folder: string, apps: string | undefined): Promise<PageFile> {
  const html = await contents(join(folder, 'index.html'));
  const headers = {
    ...safeHeaders,
    'content-type': types['.html'] ?? '',
    'content-security-policy': pagePolicy(apps),
  };
  if (html === undefined) return { status: 503, headers: { ...headers, 'retry-after': '2' }, body: notBuilt };
  return { status: 200, headers, body: html };
}

/** It loads itself again: `npm start` builds the page while the server runs already. */
const notBuilt = `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta http-equiv="refresh" content="2">
<title>Tenon Inspector</title>
<p>The page of the inspector is not built yet. It appears here as soon as it is. If it does not, run <code>npm run build</code>.</p>
</html>
`;

async function contents(path: string): Promise<Buffer | undefined> {
  try {
    return await readFile(path);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT' || code === 'EISDIR' || code === 'ENOTDIR') return undefined;
    throw error;
  }
}

/** Where the package has the page. */
export const builtPage = (): string =>
  join(dirname(createRequire(import.meta.url).resolve('tenon/package.json')), 'dist', 'inspector');
