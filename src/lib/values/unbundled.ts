/** Packages that must not become part of a bundle: bundlers find only names that are written out where they are imported. */

/** Imports a package by its name in pieces, so that no minifier writes it out. */
export const importUnbundled = async <T>(...pieces: readonly string[]): Promise<T> =>
  (await import(/* webpackIgnore: true */ /* @vite-ignore */ pieces.join(''))) as T;
