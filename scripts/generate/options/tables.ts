/** Writes the tables of a file of interfaces into the file beside it. */
import { posix } from 'node:path';
import type { OptionsType } from './interfaces.ts';
import { type Entry, tableName } from './kinds.ts';
import type { FixedLimit } from './limits.ts';

/** The functions that the entries of a table call. */
const runtime = 'src/lib/options/option-table.ts';

/** `src/server/http/options.ts` has its tables in `src/server/http/options.table.ts`. */
export const tablePath = (path: string): string => path.replace(/\.ts$/, '.table.ts');

export interface TableOf {
  readonly type: OptionsType;
  readonly entries: readonly Entry[];
  readonly fixed: readonly FixedLimit[];
}

/** The module with the tables of one file. */
export function tableModule(path: string, tables: readonly TableOf[]): string {
  const ordered = groupsFirst(tables);
  const imports = new Map<string, Set<string>>();
  const use = (from: string, name: string): void => {
    if (from !== tablePath(path)) imports.set(from, (imports.get(from) ?? new Set()).add(name));
  };
  for (const { type, entries, fixed } of ordered) {
    use(path, `type ${type.name}`);
    use(runtime, 'type Table');
    use(runtime, 'table');
    for (const limit of fixed) if (limit.computed === undefined) use(limit.path, limit.constant);
    for (const { kind, default: value, member } of entries) {
      if (!member.isOptional) use(runtime, 'required');
      use(kind.ruleIn ?? runtime, kind.uses);
      if (kind.ruleIn !== undefined && value.code !== undefined) use(runtime, 'withDefault');
      if (kind.group !== undefined) use(tablePath(kind.group.path), tableName(kind.group));
    }
  }
  const lines = [...imports]
    .map(([from, names]) => importLine(relative(path, from), [...names]))
    .sort((one, other) => (one.from < other.from ? -1 : 1));
  return [
    '/** Tables of options, generated from the interfaces beside it: do not edit, run `npm run generate`. */',
    ...lines.map(({ line }) => line),
    ...ordered.flatMap((table) => ['', tableCode(table)]),
    '',
  ].join('\n');
}

const relative = (from: string, to: string): string => {
  const path = posix.relative(posix.dirname(from), to);
  return path.startsWith('.') ? path : `./${path}`;
};

function importLine(from: string, names: readonly string[]): { from: string; line: string } {
  const bare = (name: string): string => name.replace('type ', '');
  const sorted = names.toSorted((one, other) => (bare(one).toLowerCase() < bare(other).toLowerCase() ? -1 : 1));
  const onlyTypes = sorted.every((name) => name.startsWith('type '));
  const list = (onlyTypes ? sorted.map(bare) : sorted).join(', ');
  return { from, line: `import ${onlyTypes ? 'type ' : ''}{ ${list} } from '${from}';` };
}

function tableCode({ type, entries, fixed }: TableOf): string {
  const members = entries.map(
    ({ member, code }) => `      ${member.name === code ? code : `${member.name}: ${code}`},`,
  );
  const limits = ['  {', ...fixed.map((limit) => `    ${fixedCode(limit)},`), '  },'];
  return [
    `export const ${tableName(type)} = /* @__PURE__ */ table(`,
    '  () =>',
    '    ({',
    ...members,
    `    }) satisfies Table<${type.name}>,`,
    ...(fixed.length === 0 ? [] : limits),
    ');',
  ].join('\n');
}

function fixedCode({ option, constant, computed }: FixedLimit): string {
  const name = option?.name ?? constant;
  if (computed !== undefined) return `${name}: '${computed.replaceAll('`', '').replaceAll("'", "\\'")}'`;
  return name === constant ? name : `${name}: ${constant}`;
}

/** A table comes after those of its groups. */
function groupsFirst(tables: readonly TableOf[]): readonly TableOf[] {
  const ordered = new Set<TableOf>();
  const add = (table: TableOf): void => {
    for (const { kind } of table.entries) {
      const inner = tables.find(({ type }) => type === kind.group);
      if (inner !== undefined && !ordered.has(inner)) add(inner);
    }
    ordered.add(table);
  };
  for (const table of tables) add(table);
  return [...ordered];
}
