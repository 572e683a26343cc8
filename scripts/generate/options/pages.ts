/** Writes the pages of limits, one for each area. */
import { table } from '../../docs/table.ts';
import { type Area, areas } from './areas.ts';
import { lineageOf, type OptionsType } from './interfaces.ts';
import { type Entry, type Kind } from './kinds.ts';
import type { FixedLimit } from './limits.ts';
import type { TableOf } from './tables.ts';

/** A row of a page: a limit that an option sets, or a fixed one. */
export interface Row {
  readonly area: string;
  readonly limit: string;
  readonly option: string;
  readonly default: string;
  readonly beyond: string;
  readonly code: string;
  readonly isFixed: boolean;
}

/** What is counted in numbers or time is a limit; other options are on no page unless they say what is beyond them. */
const isLimit = ({ kind, member }: Entry): boolean =>
  kind.unit === 'ms' || kind.unit === 'number' || member.doc.tags.beyond !== undefined;

/** The rows of all limits that options set, each where its interface declares it. */
export function settableRows(tables: readonly TableOf[]): readonly Row[] {
  return tables.flatMap(({ type, entries }) =>
    entries
      .filter((entry) => isLimit(entry) && type.own.includes(entry.member))
      .map(({ member: { name, doc }, default: value }) => ({
        area: type.area,
        limit: doc.sentence,
        option: placesOf(type, tables)
          .map((place) => `\`${place.prefix}${name}\`${place.of}`)
          .join(', '),
        default: value.shown,
        beyond: doc.tags.beyond ?? '',
        code: codes(doc.tags.code),
        isFixed: false,
      })),
  );
}

/** The rows of constants: fixed limits, and those that an option of the command line sets. */
export const constantRows = (limits: readonly FixedLimit[]): readonly Row[] =>
  limits.map(({ area, doc, shown }) => ({
    area,
    limit: doc.sentence,
    option: doc.tags.option === undefined ? '' : `\`${doc.tags.option}\``,
    default: shown,
    beyond: doc.tags.beyond ?? '',
    code: codes(doc.tags.code),
    isFixed: doc.tags.option === undefined,
  }));

/** Codes are words with hyphens; anything else is a remark. */
const codes = (text = ''): string =>
  text
    .split(', ')
    .map((part) => (/^[a-z\d-]+$/.test(part) ? `\`${part}\`` : part))
    .join(', ');

interface Place {
  /** The groups before the name, each with a point. */
  readonly prefix: string;
  /** The function that takes the options, where it is not that of the area. */
  readonly of: string;
}

/** Where the options of an interface are written: its own function, and the groups that lead to it. */
function placesOf(type: OptionsType, tables: readonly TableOf[]): readonly Place[] {
  const parents = tables.flatMap((parent) =>
    parent.entries
      .filter(({ kind, member }) => isGroupWith(kind, type) && parent.type.own.includes(member))
      .flatMap(({ member }) =>
        placesOf(parent.type, tables).map(({ prefix, of }) => ({ prefix: `${prefix}${member.name}.`, of })),
      ),
  );
  const own = { prefix: '', of: type.of === undefined ? '' : ` of ${type.of}` };
  const all = parents.length === 0 ? [own] : parents;
  return all.filter((one, at) => all.findIndex(({ prefix, of }) => prefix === one.prefix && of === one.of) === at);
}

/** An interface that extends another has its options too. */
const isGroupWith = ({ group }: Kind, type: OptionsType): boolean =>
  group !== undefined && lineageOf(group).includes(type);

/** The pages of the areas that have rows, by their paths. */
export function limitPages(rows: readonly Row[]): ReadonlyMap<string, string> {
  const pages = Object.entries(areas).flatMap(([name, area]) => {
    const own = rows.filter((row) => row.area === name);
    return own.length === 0 ? [] : [[`docs/guide/limits/${area.page}.md`, pageOf(name, area, own)] as const];
  });
  return new Map(pages);
}

const pageOf = (name: string, { of }: Area, rows: readonly Row[]): string => {
  const [fixed, settable] = [rows.filter(({ isFixed }) => isFixed), rows.filter(({ isFixed }) => !isFixed)];
  return [
    `# Limits: ${name}`,
    '',
    `Options of ${of}. How to read it: [limits](../limits.md). \`npm run generate\` writes this page from the interfaces in the code.`,
    ...(settable.length === 0
      ? []
      : ['', '## Options', '', table(['limit', 'option', 'default', 'beyond it', 'code'], settable.map(optionCells))]),
    ...(fixed.length === 0
      ? []
      : ['', '## Fixed', '', table(['limit', 'value', 'beyond it', 'code'], fixed.map(fixedCells))]),
    '',
  ].join('\n');
};

const optionCells = (row: Row): string[] => [row.limit, row.option, row.default, row.beyond, row.code];
const fixedCells = (row: Row): string[] => [row.limit, row.default, row.beyond, row.code];
