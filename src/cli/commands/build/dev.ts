/** `tenon dev`: serves the server in a file, and loads it again when a file of it changes. Clients stay connected. */
import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { guardStdout } from '../../../node/stdio-server/stdout-guard.ts';
import { markAsDevelopment } from '../../../server/ports/development.ts';
import { type FileWatch, watchFiles } from '../../dev/file-watch.ts';
import { createInspection, type Inspection } from '../../dev/inspection.ts';
import { reloadModules } from '../../dev/reload-hook.ts';
import { createDevService, type DevService } from '../../dev/service.ts';
import type { RunCommand } from '../../io/command.ts';
import type { Given } from '../../io/given.ts';
import { interrupted } from '../../io/until-closed.ts';
import { importModule } from '../../target/import-module.ts';
import { loadErrorText } from '../../target/load-error.ts';
import { type LoadedServer, optionsOver, pathOf, serverIn } from '../../target/module-target.ts';
import { ownStack } from '../../target/own-stack.ts';
import type { Served } from '../../target/package-of.ts';
import { httpPortOf } from './serve.ts';

/**
 * Reloads of `dev`, which stay in memory: Node cannot unload a module.
 * @limit command line
 * @beyond the server stays as it is; start `tenon dev` again
 */
const maxReloads = 1000;

export const run: RunCommand = async (given) => {
  const [file = ''] = given.words;
  const port = httpPortOf(given);
  const path = pathOf(file, given.io.cwd);
  if (port === undefined) guardStdout();
  else given.io.reserveOutput();
  const service = createDevService(given, path, port);
  const inspection = createInspection(path, given);
  const files = watchFiles({ onChange: () => reloads.request(), onWarning: (text) => warn(given, text) });
  const reloads = createReloads(given, path, { service, inspection, files });
  const onError = (error: unknown): void => warn(given, `The server failed outside of a call: ${ownStack(error)}`);
  // An error of the server must not end this process: a corrected file is loaded again.
  process.on('uncaughtException', onError);
  // tsx, which reads TypeScript before Node 22.18, keeps a port open.
  given.io.exitWhenDone();
  try {
    reloads.request();
    await Promise.race([interrupted(given.io), service.closed, reloads.failed]);
    return { result: { reloads: reloads.count(), closed: true }, text: '' };
  } finally {
    process.off('uncaughtException', onError);
    files.close();
    await Promise.all([service.close(), inspection.close()]);
  }
};

interface DevParts {
  readonly service: DevService;
  readonly inspection: Inspection;
  readonly files: FileWatch;
}

interface Reloads {
  /** Loads the server again, after the current reload. */
  request(): void;
  count(): number;
  /** Rejects if the first server cannot be served, as on a port that is taken. */
  readonly failed: Promise<never>;
}

function createReloads(given: Given, path: string, { service, inspection, files }: DevParts): Reloads {
  const folder = pathToFileURL(`${projectFolder(path)}/`).href;
  const modules = reloadModules(folder, (url) => files.add(fileURLToPath(url)));
  let state: 'idle' | 'reloading' | 'reloading, then again' = 'idle';
  let count = 0;
  let fail = (_error: unknown): void => {};
  const failed = new Promise<never>((_resolve, reject) => {
    fail = reject;
  });
  files.add(path);

  async function loaded(): Promise<LoadedServer | undefined> {
    try {
      return await serverIn(path, () => importModule(path, modules.next()));
    } catch (error) {
      const why = await loadErrorText(path, error);
      warn(given, `${path} could not be loaded; it is loaded again when it changes.\n${why}`);
      if (given.isJson) given.emit({ event: 'failed', message: why }, '');
      return undefined;
    }
  }

  async function reload(): Promise<void> {
    if (count > maxReloads) return warn(given, `${maxReloads} reloads are in memory. Start tenon dev again.`);
    const found = await loaded();
    if (found !== undefined) {
      const server = markAsDevelopment(found.server) as Served;
      const options = optionsOver(service.over, found, (text) => warn(given, text));
      show(given, await inspection.link(await service.use(server, options)), count, path);
    }
    count++;
  }

  async function run(): Promise<void> {
    state = 'reloading';
    await reload();
    const isAgain = (state as string) === 'reloading, then again';
    state = 'idle';
    if (isAgain) await run();
  }

  return {
    request() {
      if (state === 'idle') run().catch(fail);
      else state = 'reloading, then again';
    },
    count: () => Math.max(0, count - 1),
    failed,
  };
}

function show(given: Given, event: object, count: number, path: string): void {
  if (given.isJson) return given.emit(event, '');
  const url = 'url' in event ? ` at ${String(event.url)}` : '';
  given.io.err(`tenon: ${count === 0 ? `${path} is served${url}` : `reloaded${url}`}\n`);
  if ('inspector' in event) given.io.err(`tenon: inspector ${String(event.inspector)}\n`);
}

const warn = ({ io }: Given, text: string): void => io.err(`tenon: ${text}\n`);

/** The nearest folder above a file that has a package.json, else its own folder. */
function projectFolder(path: string): string {
  let folder = dirname(path);
  while (!existsSync(join(folder, 'package.json'))) {
    const above = dirname(folder);
    if (above === folder) return dirname(path);
    folder = above;
  }
  return folder;
}
