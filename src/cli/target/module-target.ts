/** A server in a file: its default export, loaded into this process. */
import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import type { ServerLike } from '../../client/connect.ts';
import { TenonError } from '../../lib/errors/tenon-error.ts';
import type { Io } from '../io/io.ts';
import { usageError } from '../usage-error.ts';
import { importModule, prepareImport } from './import-module.ts';
import { ownStack } from './own-stack.ts';

export const isModule = (target: string): boolean => /\.[cm]?[jt]sx?$/.test(target);

/** What the file prints goes to standard error. */
export async function loadServer(target: string, io: Pick<Io, 'cwd' | 'reserveOutput'>): Promise<ServerLike> {
  const path = pathOf(target, io.cwd);
  await prepareImport(path);
  io.reserveOutput();
  const module = await importModule(path).catch((error: unknown) => {
    throw notLoaded(target, error);
  });
  return serverIn(target, module);
}

function notLoaded(target: string, cause: unknown): TenonError {
  const { code } = cause as NodeJS.ErrnoException;
  const text = ownStack(cause).replaceAll('\n', '\n    ');
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

/** The default export of a module that was loaded. */
export function serverIn(target: string, module: unknown): ServerLike {
  const { default: server } = module as { readonly default?: unknown };
  if (isServer(server)) return server;
  throw usageError(
    `${target} has no server as its default export.`,
    'Write export default createServer({ … }), and serve it in another file.',
  );
}

const isServer = (value: unknown): value is ServerLike =>
  typeof value === 'object' && value !== null && typeof (value as Partial<ServerLike>).accept === 'function';
