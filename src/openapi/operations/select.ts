/** Which operations are served: `include` and `exclude`. */
import { wrong } from '../../lib/options/option-rules.ts';
import { nearestName } from '../../lib/text/nearest-name.ts';
import { shown } from '../../lib/text/shown.ts';
import { invalidDocument } from '../document/document.ts';
import { type ApiOperation, shownOperation } from './operation.ts';

/** Names operations: those that match each field which is set. */
export interface OperationFilter {
  /** One of these `operationId`s. */
  readonly ids?: readonly string[];
  /** One of these tags. */
  readonly tags?: readonly string[];
  /** One of these methods, in lower case. */
  readonly methods?: readonly string[];
  /** One of these paths; `/pets*` is each path that begins with `/pets`. */
  readonly paths?: readonly string[];
}

export interface Selection {
  readonly include: readonly OperationFilter[] | undefined;
  readonly exclude: readonly OperationFilter[] | undefined;
  readonly maxOperations: number;
}

/** Throws for a filter that matches nothing, since it is misspelt, and for more operations than `maxOperations`. */
export function selectOperations<O extends ApiOperation>(
  all: readonly O[],
  { include, exclude = [], maxOperations }: Selection,
): readonly O[] {
  for (const [name, filters] of [['include', include ?? []] as const, ['exclude', exclude] as const])
    for (const [at, filter] of filters.entries()) checkFilter(all, filter, `${name}[${at}]`);
  const included = include === undefined ? all : all.filter((one) => include.some((filter) => matches(one, filter)));
  const selected = included.filter((one) => !exclude.some((filter) => matches(one, filter)));
  if (selected.length > maxOperations) throw tooMany(selected, maxOperations);
  return selected;
}

const fields = ['ids', 'tags', 'methods', 'paths'] as const;

const matches = (operation: ApiOperation, filter: OperationFilter): boolean =>
  fields.every((field) => filter[field] === undefined || filter[field].some((one) => has(operation, field, one)));

function has({ id, method, path, tags }: ApiOperation, field: (typeof fields)[number], wanted: string): boolean {
  if (field === 'ids') return id === wanted;
  if (field === 'tags') return tags.includes(wanted);
  if (field === 'methods') return method === wanted;
  return wanted.endsWith('*') ? path.startsWith(wanted.slice(0, -1)) : path === wanted;
}

function checkFilter(all: readonly ApiOperation[], filter: OperationFilter, place: string): void {
  for (const field of fields)
    for (const wanted of filter[field] ?? []) {
      if (all.some((one) => has(one, field, wanted))) continue;
      const known = all.flatMap(({ id, method, path, tags }) =>
        field === 'ids' ? (id ?? []) : field === 'tags' ? tags : field === 'methods' ? method : path,
      );
      const meant = nearestName(wanted, [...new Set(known)]);
      const must = `name something of the document: it has no "${shown(wanted)}"`;
      throw wrong(
        'openapiServer()',
        `${place}.${field}`,
        meant === undefined ? must : `${must}, but "${shown(meant)}"`,
      );
    }
  if (!all.some((one) => matches(one, filter)))
    throw wrong('openapiServer()', place, 'match an operation: no operation matches all of its fields');
}

/** Tags in the message of too many operations. */
const shownTags = 8;

function tooMany(operations: readonly ApiOperation[], maxOperations: number): Error {
  const counts = new Map<string, number>();
  for (const { tags } of operations) for (const tag of tags) counts.set(tag, (counts.get(tag) ?? 0) + 1);
  const most = [...counts].sort(([, a], [, b]) => b - a).slice(0, shownTags);
  const listed = most.map(([tag, count]) => `${shown(tag)} (${count})`).join(', ');
  const example = operations[0] === undefined ? '' : shownOperation(operations[0]);
  const tags = listed === '' ? `The first is ${shown(example)}.` : `The largest tags are ${listed}.`;
  return invalidDocument(
    `The document has ${operations.length} operations, and maxOperations is ${maxOperations}. ${tags}`,
    "Select some: include: [{ tags: ['…'], methods: ['get'] }].",
    { operations: operations.length, tags: Object.fromEntries(counts) },
  );
}
