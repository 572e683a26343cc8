/** `serveHttp` and `serveStdio` of the copy of this package that created a server: a project may have another copy than this program. */
import { TenonError } from '../../lib/errors/tenon-error.ts';
import type { serveHttp } from '../../node/http-server/serve-http.ts';
import type { serveStdio } from '../../node/stdio-server/serve-stdio.ts';
import { isOwnServer } from '../../server/internals.ts';
import type { Server } from '../../server/server.ts';
import { resolvedFrom } from './import-module.ts';

export type Served = Server;

export interface ServingPackage {
  readonly serveHttp: typeof serveHttp;
  readonly serveStdio: typeof serveStdio;
}

/** `path` is the file of the server. */
export async function packageOf(server: Served, path: string): Promise<ServingPackage> {
  if (isOwnServer(server)) return import('../../node/index.ts');
  const url = resolvedFrom(path, 'tenon');
  if (url !== undefined) return (await import(url)) as ServingPackage;
  throw new TenonError('invalid-argument', `The tenon that ${path} uses was not found.`, {
    hint: 'Run npm install tenon in the project of the file.',
  });
}
