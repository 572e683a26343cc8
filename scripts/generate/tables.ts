/** Generates tables from method to checkers for the messages of a model, and finds the fields of newer records. */
import type { Messages, Model } from '../../src/protocol/model/model.ts';
import type { Shape } from '../../src/protocol/model/shape.ts';
import type { CheckWriter } from './checks.ts';

const sides = ['client', 'server'] as const;

/** A module with one table per side. With `core`, only what the model adds to it or replaces. */
export function tableModule(model: Model, checks: CheckWriter, depth: string, core?: Model): string {
  const used = new Set<string>();
  const use = (name: string): string => {
    used.add(name);
    return name;
  };
  const tables = sides.map((side) => tableOf(model, side, core?.[side], (...args) => use(checks.check(...args))));
  const primitives = ['isRecord', 'isString', 'isBoolean'].filter((name) => used.delete(name));
  return [
    '/** Checkers by method, generated from the models: do not edit, run `npm run generate`. */',
    `import type { SideChecks } from '${depth}revision.ts';`,
    ...(primitives.length > 0 ? [`import { ${primitives.join(', ')} } from '${depth}model/primitives.ts';`] : []),
    `import { ${[...used].sort().join(', ')} } from '../checks.ts';`,
    '',
    ...tables,
    '',
  ].join('\n');
}

function tableOf(
  model: Model,
  side: 'client' | 'server',
  core: Messages | undefined,
  check: CheckWriter['check'],
): string {
  const { requests, notifications } = model[side];
  const fresh = <T>(table: Readonly<Record<string, T>>, known: Readonly<Record<string, T>> = {}): Array<[string, T]> =>
    Object.entries(table).filter(([method, message]) => known[method] !== message);
  const row = (method: string, parts: string[]): string => `    ['${method}', { ${parts.join(', ')} }],`;
  return [
    `export const ${side}: SideChecks = {`,
    '  requests: /* @__PURE__ */ new Map([',
    ...fresh(requests, core?.requests).map(([method, { name, params, result }]) =>
      row(method, [
        `params: ${check(model, params.shape, `${name}Params`)}`,
        `optional: ${params.optional}`,
        `result: ${check(model, result, `${name}Result`)}`,
      ]),
    ),
    '  ]),',
    '  notifications: /* @__PURE__ */ new Map([',
    ...fresh(notifications, core?.notifications).map(([method, { name, params }]) =>
      row(method, [
        `params: ${check(model, params.shape, `${name}NotificationParams`)}`,
        `optional: ${params.optional}`,
      ]),
    ),
    '  ]),',
    '};',
  ].join('\n');
}

export interface FittingRules {
  /** Fields of the neutral records that this revision lacks: they must not be sent. */
  newer: Record<string, string[]>;
  /** The types of content that it has. */
  content: string[];
  sampling: string[];
  /** Whether structured output must be an object. */
  objectOutput: boolean;
}

/** What fitting must know of a revision, from its model. */
export const fittingRulesOf = (neutral: Model, model: Model): FittingRules => ({
  newer: newerFields(neutral, model),
  content: kindsOf(model, 'ContentBlock'),
  sampling: kindsOf(model, 'SamplingContent'),
  objectOutput: fieldOf(model, 'ToolOutputSchema', 'type')?.is === 'just',
});

function newerFields(neutral: Model, model: Model): Record<string, string[]> {
  const rows = Object.entries(neutral.shapes).flatMap(([name, shape]): Array<[string, string[]]> => {
    const older = model.shapes[name];
    if (shape.is !== 'record' || older?.is !== 'record') return [];
    const fields = Object.keys(shape.fields).filter((key) => !(key in older.fields));
    return fields.length > 0 ? [[name, fields]] : [];
  });
  return Object.fromEntries(rows);
}

function kindsOf(model: Model, name: string): string[] {
  const shape = model.shapes[name];
  return (shape?.is === 'kinds' ? shape.of : []).map((kind) => {
    const type = fieldOf(model, kind, 'type');
    if (type?.is !== 'just') throw new Error(`${kind} has no literal type`);
    return String(type.value);
  });
}

function fieldOf(model: Model, name: string, field: string): Shape | undefined {
  const shape = model.shapes[name];
  return shape?.is === 'record' ? shape.fields[field]?.shape : undefined;
}
