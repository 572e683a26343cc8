/** Serves a folder of static files on this machine alone. */
import { createReadStream, existsSync, statSync } from 'node:fs';
import { createServer } from 'node:http';
import { extname, join, normalize, sep } from 'node:path';

const types = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.json': 'application/json; charset=utf-8',
  '.md': 'text/markdown; charset=utf-8',
  '.txt': 'text/plain; charset=utf-8',
  '.png': 'image/png',
  '.svg': 'image/svg+xml',
  '.woff2': 'font/woff2',
};

/** Resolves with its URL and a function that stops it. */
export function serveFolder(folder, port = 0) {
  const server = createServer((request, response) => {
    const file = fileFor(folder, request.url ?? '/');
    const found = file ?? join(folder, '404.html');
    response.writeHead(file === undefined ? 404 : 200, {
      'content-type': types[extname(found)] ?? 'application/octet-stream',
    });
    if (request.method === 'HEAD' || !existsSync(found)) return response.end();
    createReadStream(found).pipe(response);
  });
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, '127.0.0.1', () => {
      const close = () => {
        server.closeAllConnections();
        return new Promise((closed) => server.close(closed));
      };
      resolve({ url: `http://127.0.0.1:${server.address().port}/`, close });
    });
  });
}

function fileFor(folder, url) {
  const path = pathIn(url);
  if (path === undefined) return undefined;
  const place = normalize(join(folder, path));
  if (place !== folder && !place.startsWith(folder.endsWith(sep) ? folder : folder + sep)) return undefined;
  const candidates = [place, join(place, 'index.html'), `${place}.html`];
  return candidates.find((each) => existsSync(each) && statSync(each).isFile());
}

function pathIn(url) {
  try {
    return decodeURIComponent(url.split(/[?#]/)[0] ?? '/');
  } catch {
    return undefined;
  }
}
