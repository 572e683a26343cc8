/** Whether docs/performance.md has the table of `npm run bench -- compare` beside the commit of bench/base.json. */

export interface Comparison {
  /** The commit of bench/base.json. */
  readonly base: string;
  /** docs/performance.md. */
  readonly page: string;
  /** The same page in the last release, if there was one. */
  readonly lastPage: string | undefined;
}

const shortChars = 7;

const fix = 'run "npm run bench -- compare" on a quiet machine and put what it prints there.';

export function comparisonProblems({ base, page, lastPage }: Comparison): string[] {
  const commit = base.slice(0, shortChars);
  const table = tableBeside(page, commit);
  if (table === undefined) return [`docs/performance.md has no table of this code beside ${commit}: ${fix}`];
  if (lastPage !== undefined && tableBeside(lastPage, commit) === table)
    return [`The table beside ${commit} in docs/performance.md is that of the last release: ${fix}`];
  return [];
}

/** The first table under the line that `bench/compare/compare.mjs` prints above it, in the same section. */
function tableBeside(page: string, commit: string): string | undefined {
  const [, after] = page.split(`beside \`${commit}\` (\`npm run bench -- compare\`)`);
  const [section = ''] = (after ?? '').split(/^## /m);
  return /(?:^\|.*\n){3,}/m.exec(section)?.[0];
}
