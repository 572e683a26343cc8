/** From the sources to the generated files: tables of options and pages of limits. */
import { indexPage } from './index-page.ts';
import { membersOf, readOptionsTypes } from './interfaces.ts';
import { entryOf } from './kinds.ts';
import { fixedIn, readLimits } from './limits.ts';
import { constantRows, limitPages, type Row, settableRows } from './pages.ts';
import type { Problems } from './problems.ts';
import { createSources, type Texts } from './sources.ts';
import { type TableOf, tableModule, tablePath } from './tables.ts';

export interface Generated {
  /** The files by their paths. */
  readonly files: ReadonlyMap<string, string>;
  readonly rows: readonly Row[];
  /** What is wrong, each with its place and the fix. */
  readonly problems: readonly string[];
}

export function generateOptions(texts: Texts): Generated {
  const problems: Problems = [];
  const sources = createSources(texts);
  const types = readOptionsTypes(sources, problems);
  const limits = readLimits(sources, types.all, problems);
  const tables: TableOf[] = types.all.map((type) => ({
    type,
    entries: membersOf(type).flatMap((member) => entryOf(member, sources, types, problems) ?? []),
    fixed: fixedIn(limits, type),
  }));
  const rows = [...settableRows(tables), ...constantRows(limits)];
  const written = tables.filter(({ type }) => !type.hasNoTable);
  const paths = [...new Set(written.map(({ type }) => type.path))];
  const modules = paths.map((path) => {
    const own = written.filter(({ type }) => type.path === path);
    return [tablePath(path), tableModule(path, own)] as const;
  });
  const files = new Map([...modules, ...limitPages(rows), ['docs/guide/limits.md', indexPage()]]);
  return { files, rows, problems: [...new Set(problems)] };
}
