/** A server in a file, loaded into this process. */
import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { ServerLike } from '../../client/connect.ts';
import { messageWithoutHint, TenonError } from '../../lib/errors/tenon-error.ts';
import { createDeferred } from '../../lib/values/deferred.ts';
import { type TakenServer, takeServers } from '../../node/process/taken-servers.ts';
import type { OfficialServer, OfficialSource } from '../../official/types.ts';
import { isOfficialServer } from '../../ports/official-server.ts';
import type { Io } from '../io/io.ts';
import { usageError } from '../usage-error.ts';
import { importModule, prepareImport } from './import-module.ts';
import { loadErrorText } from './load-error.ts';

export const isModule = (target: string): boolean => /\.[cm]?[jt]sx?$/.test(target);

/** A server, and how its file serves it, if it does. */
export interface LoadedServer {
  readonly server: ServerLike;
  readonly served?: Pick<TakenServer, 'over' | 'options'>;
}

/**
 * The options that a file has for a transport, such as `authenticate`. A server that authenticates its callers elsewhere is
 * not served to anyone over HTTP; on standard streams its caller is the program that starts it.
 */
export function optionsOver(over: TakenServer['over'], { served }: LoadedServer, warn: (text: string) => void): object {
  if (served === undefined || served.over === over) return served?.options ?? {};
  if (!('authenticate' in served.options)) return {};
  if (over === 'http')
    throw usageError(
      'The file serves it with authenticate of serveStdio(), which has no effect over HTTP.',
      'Leave --http out, or serve it with serveHttp(server, { authenticate }) in the file.',
    );
  warn('The file serves it over HTTP with authenticate, which has no effect here: add --http PORT for that.');
  return {};
}

/** What the file prints goes to standard error. */
export async function loadServer(target: string, io: Pick<Io, 'cwd' | 'reserveOutput'>): Promise<LoadedServer> {
  const path = pathOf(target, io.cwd);
  await prepareImport(path);
  io.reserveOutput();
  const load = (): Promise<unknown> =>
    importModule(path).catch(async (error: unknown) => {
      throw notLoaded(target, error, await loadErrorText(path, error));
    });
  return serverIn(target, load);
}

function notLoaded(target: string, cause: unknown, why: string): TenonError {
  const { code } = cause as NodeJS.ErrnoException;
  const text = why.replaceAll('\n', '\n    ');
  const hint = code === 'ERR_MODULE_NOT_FOUND' ? { hint: 'Check what it imports, or run npm install.' } : {};
  const error = new TenonError('spawn-failed', `${target} could not be loaded:\n    ${text}`, { ...hint, cause });
  return Object.assign(error, { step: 'start' as const });
}

/** The path of a file that exists. */
export function pathOf(target: string, cwd: string): string {
  const path = resolve(cwd, target);
  if (!existsSync(path)) throw usageError(`There is no file ${path}.`, 'Check the path of the server.');
  return path;
}

/** A file may begin to serve after something else that it waits for. */
const serveWithinMs = 1000;

/**
 * The server of a file: its default export, its only export that is a server, or the one that it serves. A default export
 * that is a function creates it; a server of the official SDK is bridged.
 */
export async function serverIn(target: string, load: () => Promise<unknown>): Promise<LoadedServer> {
  const first = createDeferred<TakenServer>();
  let taken: TakenServer | undefined;
  const release = takeServers((one) => {
    taken ??= one;
    first.resolve(one);
  });
  try {
    // A file that awaits `serveHttp()` is never loaded whole.
    const module = await Promise.race([load(), first.promise.then(() => ({}))]);
    const own = exportedServer(target, module);
    const exported = own ?? (taken === undefined ? await createdServer(target, defaultOf(module)) : undefined);
    if (exported === undefined && taken === undefined)
      taken = await Promise.race([first.promise, delay(serveWithinMs, undefined)]);
    const server = exported ?? taken?.server;
    if (!isServer(server)) throw noServer(target, module as object);
    return { server, ...(taken?.server === server && { served: taken }) };
  } finally {
    release();
  }
}

const defaultOf = (module: unknown): unknown => (module as { readonly default?: unknown }).default;

function exportedServer(target: string, module: unknown): ServerLike | undefined {
  const { default: main, ...others } = module as Record<string, unknown>;
  if (isServer(main)) return main;
  const found = Object.entries(others).filter(([, value]) => isServer(value));
  if (new Set(found.map(([, value]) => value)).size > 1)
    throw usageError(
      `${target} exports several servers: ${found.map(([name]) => name).join(', ')}.`,
      'Make one of them the default export.',
    );
  return found[0]?.[1] as ServerLike | undefined;
}

/** The server that a default export creates, or that of the official SDK, as a Tenon server; `undefined` for any other export. */
async function createdServer(target: string, main: unknown): Promise<ServerLike | undefined> {
  if (typeof main !== 'function') return isOfficialServer(main) ? bridged(target, main as OfficialServer) : undefined;
  const create = async (): Promise<unknown> => main();
  const first = create();
  // A function that fails is reported as the bridge does.
  const own = await first.catch(() => undefined);
  if (isServer(own)) return own;
  let next: typeof create = () => first;
  return bridged(target, () => {
    const created = next();
    next = create;
    return created as Promise<OfficialServer>;
  });
}

async function bridged(target: string, source: OfficialSource): Promise<ServerLike> {
  const { fromOfficial } = await import('../../node/entries/official.ts');
  try {
    return await fromOfficial(source);
  } catch (error) {
    if (!(error instanceof TenonError) || error.code !== 'instance-failed') throw error;
    throw usageError(
      `The default export of ${target} is no server: ${messageWithoutHint(error)}`,
      'Export a server by createServer(), a function that returns it, or a function that returns a new McpServer of the official SDK.',
    );
  }
}

function noServer(target: string, module: object): TenonError {
  const what = `${target} has no server: it exports none, and serves none.`;
  const named = creatorName(module);
  if (named !== undefined)
    return usageError(
      `${what} A function that creates a server, or a server of the official SDK, has to be the default export.`,
      `If ${named} is one, add export { ${named} as default } to the file.`,
    );
  return usageError(
    what,
    `Write export default createServer({ … }), or serve it with serveStdio() or serveHttp(). A program that serves by itself is a command: -- node ${target}`,
  );
}

/** The export that may create a server, or be one of the official SDK. It is not called: other functions have such names, too. */
function creatorName(exported: object): string | undefined {
  const found = Object.entries(exported).find(
    ([name, value]) =>
      name !== 'default' && (isOfficialServer(value) || (typeof value === 'function' && /server/i.test(name))),
  );
  return found?.[0];
}

const isServer = (value: unknown): value is ServerLike =>
  typeof value === 'object' && value !== null && typeof (value as Partial<ServerLike>).accept === 'function';
