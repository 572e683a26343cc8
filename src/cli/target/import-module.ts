/** Imports a file of a project, TypeScript included, and the copy of this package that it uses. */
import { createRequire } from 'node:module';
import { pathToFileURL } from 'node:url';
import { TenonError } from '../../lib/errors/tenon-error.ts';

/** A query makes Node load the file again. */
export async function importModule(path: string, query = ''): Promise<unknown> {
  await prepareImport(path);
  return import(`${pathToFileURL(path).href}${query}`);
}

/** Throws if this Node cannot read such a file. */
export async function prepareImport(path: string): Promise<void> {
  if (/\.[cm]?tsx?$/.test(path) && !readsTypeScript) await registerTsx(path);
}

/** Node reads TypeScript itself from version 22.18 on; before that the `tsx` of the project does. */
const readsTypeScript = 'typescript' in process.features && process.features.typescript !== false;

async function registerTsx(path: string): Promise<void> {
  const tsx = resolvedFrom(path, 'tsx');
  if (tsx === undefined)
    throw new TenonError('invalid-argument', `Node ${process.versions.node} cannot read ${path}.`, {
      hint: 'Run npm install --save-dev tsx, or use Node 22.18 or later.',
    });
  await import(tsx);
}

/** The URL that a file would import by this name; undefined if it is not installed there. */
export function resolvedFrom(path: string, name: string): string | undefined {
  try {
    return pathToFileURL(createRequire(path).resolve(name)).href;
  } catch {
    return undefined;
  }
}
