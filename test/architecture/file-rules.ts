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

/** Hooks at the top of a module that test files have in common: where files share modules, only the first gets them. */
export function sharedHooks(files: readonly { readonly path: string; readonly text: string }[]): string[] {
  return files
    .filter(({ path, text }) => !path.endsWith('.test.ts') && /^(?:before|after)(?:Each|All)\(/m.test(text))
    .map(({ path }) => `${path}: a hook here runs for one test file only; use onTestFinished where the thing is made`);
}

/** What has to name revisions outside protocol/revisions, each for its reason; a folder ends in a slash. */
const datedPlaces: Readonly<Record<string, string>> = {
  'scripts/ledger/rows.ts': 'the ledgers of two revisions are whole, the others list differences',
  'bench/checks/messages.mjs': 'messages are of a revision',
  'bench/checks/zod-schemas.mjs': 'the schemas of other libraries, by revision',
  'bench/in-process/in-process.mjs': 'one revision of each lifecycle is measured',
  'bench/in-process/subjects/': 'which revision another library speaks',
  'bench/lib/lifecycles.mjs': 'one revision of each lifecycle is spoken, without a library',
  'bench/sizes/checkers.mjs': 'the official schemas, by revision',
  'src/cli/packaging/registry-documents.ts': 'the format of server.json has a date of its own',
  'bench/sizes/programs.mjs': 'a handshake of a client that is not ours',
};

export function revisionDates(files: readonly Pick<SourceFile, 'path' | 'text'>[]): string[] {
  return files
    .filter(({ path }) => !['src/protocol/revisions/', ...Object.keys(datedPlaces)].some((place) => isAt(path, place)))
    .flatMap(({ path, text }) =>
      [...text.matchAll(/20\d\d-\d\d-\d\d/g)].map(
        ([date]) => `${path} names ${date}: take it from src/protocol/revisions, which alone may name it`,
      ),
    );
}

const isAt = (path: string, place: string): boolean => (place.endsWith('/') ? path.startsWith(place) : path === place);

/** Places of the list that name no date any more: they come off it. */
export function needlessDatedPlaces(files: readonly Pick<SourceFile, 'path' | 'text'>[]): string[] {
  const dated = files.filter(({ text }) => /20\d\d-\d\d-\d\d/.test(text));
  return Object.keys(datedPlaces).filter((place) => !dated.some(({ path }) => isAt(path, place)));
}

export function lifecycleReads(files: readonly SourceFile[]): string[] {
  const allowed = (path: string): boolean =>
    path.startsWith('src/protocol/') ||
    path === 'src/server/lifecycle/select.ts' ||
    path === 'src/client/connection/negotiation/negotiate.ts';
  return files
    .filter(({ path, readsLifecycle }) => readsLifecycle && !allowed(path))
    .map(({ path }) => `${path} reads lifecycle: add the fact it needs to the Revision record instead`);
}

export const platformReads = (files: readonly SourceFile[]): string[] =>
  files
    .filter(({ readsPlatformAtLoad }) => readsPlatformAtLoad)
    .map(
      ({ path }) =>
        `${path} reads process.platform when it is loaded: make it a parameter, so that a test can choose it`,
    );

export function versionComparisons(files: readonly SourceFile[]): string[] {
  return files.flatMap((file) =>
    file.versionComparisons.map(
      (text) => `${file.path} compares dates (${text}): read a fact of the Revision record instead, or add it there`,
    ),
  );
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

/** There are no exceptions: whatever is longer can be two. */
export function lengthBreaks(lengths: Readonly<Record<string, number>>, limit: number): string[] {
  return Object.entries(lengths)
    .filter(([, lines]) => lines > limit)
    .map(([key, lines]) => `${key} has ${lines} lines, over ${limit}: split it by what its parts are for`);
}
