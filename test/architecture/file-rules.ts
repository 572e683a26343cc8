/** The rules on a file's name, words and length; each returns its complaints, none when the tree obeys. */
import type { SourceFile } from './source-tree.ts';

const emptyWords = /(?:^|[/.-])(?:utils?|helpers?|common|shared|managers?|base|legacy|modern|misc)(?=[/.-]|$)/;

export function emptyNames(paths: readonly string[]): string[] {
  return paths
    .filter((path) => emptyWords.test(path))
    .map((path) => `${path}: its name says nothing of what it holds; name it for the thing`);
}

export function missingOpenings(files: readonly SourceFile[]): string[] {
  return files
    .filter(({ text }) => !opensWithSentence(text))
    .map(({ path }) => `${path}: its first line is not a /** sentence. */ that says what the file is for`);
}

/** A comment that closes on its first line ends with a full stop; a longer one only starts there. */
function opensWithSentence(text: string): boolean {
  const [first = ''] = text.replace(/^#!.*\n/, '').split('\n');
  return /^\/\*\* \S.{8,}$/.test(first) && (!first.includes('*/') || /[.!?] \*\/$/.test(first));
}

export function revisionDates(files: readonly SourceFile[]): string[] {
  return files
    .filter(({ path }) => !path.startsWith('src/protocol/revisions/'))
    .flatMap(({ path, text }) =>
      [...text.matchAll(/20\d\d-\d\d-\d\d/g)].map(([date]) => `${path} names ${date}: only src/protocol/revisions may`),
    );
}

export function lifecycleReads(files: readonly SourceFile[]): string[] {
  const allowed = (path: string): boolean =>
    path.startsWith('src/protocol/') || path === 'src/server/select.ts' || path === 'src/client/negotiate.ts';
  return files
    .filter(({ path, readsLifecycle }) => readsLifecycle && !allowed(path))
    .map(({ path }) => `${path} reads lifecycle: add the fact it needs to the Revision record instead`);
}

/** Over this a file should have a reason; over the limit it fails. */
export const fileGuide = 300;
export const fileLimit = 400;
export const functionLimit = 80;

export const fileLengths = (files: readonly SourceFile[]): Record<string, number> =>
  Object.fromEntries(files.map(({ path, lines }) => [path, lines]));

/** Where two functions of a file share a name the longer one counts. */
export function functionLengths(files: readonly SourceFile[]): Record<string, number> {
  const longest: Record<string, number> = {};
  for (const { path, functions } of files) {
    for (const { name, lines } of functions) {
      const key = `${path} > ${name}`;
      longest[key] = Math.max(longest[key] ?? 0, lines);
    }
  }
  return longest;
}

/** Over the limit without an exception, over its exception, or an exception that could shrink or go. */
export function lengthBreaks(
  lengths: Readonly<Record<string, number>>,
  limit: number,
  exceptions: Readonly<Record<string, number>>,
): string[] {
  const tooLong = Object.entries(lengths)
    .filter(([key, lines]) => lines > (exceptions[key] ?? limit))
    .map(([key, lines]) => `${key} has ${lines} lines, over ${exceptions[key] ?? limit}: split it`);
  const loose = Object.entries(exceptions).flatMap(([key, allowed]) => {
    const lines = lengths[key] ?? 0;
    if (lines <= limit) return [`${key} needs no exception any more: take it out of exceptions.ts`];
    return lines < allowed ? [`${key} has shrunk to ${lines} lines: lower its number in exceptions.ts`] : [];
  });
  return [...tooLong, ...loose];
}
