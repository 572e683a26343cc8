/** A server in a file: its default export, loaded into this process. */
import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { ServerLike } from '../../client/connect.ts';
import { TenonError } from '../../jsonrpc/errors.ts';
import type { Io } from '../io/io.ts';
import { usageError } from '../usage-error.ts';

export const isModule = (target: string): boolean => /\.[cm]?[jt]sx?$/.test(target);

export async function loadServer(target: string, { cwd }: Pick<Io, 'cwd'>): Promise<ServerLike> {
  const path = resolve(cwd, target);
  if (!existsSync(path)) throw usageError(`There is no file ${path}.`, 'Check the path of the server.');
  const module = (await imported(path, cwd)) as { readonly default?: unknown };
  const server = module.default;
  if (!isServer(server))
    throw usageError(
      `${target} has no server as its default export.`,
      'Write export default createServer({ … }), and serve it in another file.',
    );
  return server;
}

/** Node reads TypeScript itself from version 22.18 on; before that the `tsx` of the project does. */
async function imported(path: string, cwd: string): Promise<unknown> {
  const url = pathToFileURL(path).href;
  if (!/\.[cm]?tsx?$/.test(path) || readsTypeScript) return import(url);
  const tsx = tsxOf(cwd);
  if (tsx === undefined)
    throw new TenonError('invalid-argument', `Node ${process.versions.node} cannot read ${path}.`, {
      hint: 'Run npm install --save-dev tsx, or use Node 22.18 or later.',
    });
  const { tsImport } = (await import(tsx)) as { tsImport(file: string, parent: string): Promise<unknown> };
  return tsImport(url, pathToFileURL(`${cwd}/`).href);
}

const readsTypeScript = 'typescript' in process.features && process.features.typescript !== false;

/** The `tsx` that the project has installed. What `resolve` finds is for require(); the module for import() is beside it. */
function tsxOf(cwd: string): string | undefined {
  try {
    const found = createRequire(`${cwd}/package.json`).resolve('tsx/esm/api');
    return pathToFileURL(found.replace(/\.cjs$/, '.mjs')).href;
  } catch {
    return undefined;
  }
}

const isServer = (value: unknown): value is ServerLike =>
  typeof value === 'object' && value !== null && typeof (value as Partial<ServerLike>).accept === 'function';
