/** Reads the constants with `@limit`: limits that no option sets. */
import ts from 'typescript';
import { areas } from './areas.ts';
import { numberShown } from './default-value.ts';
import { lineageOf, membersOf, type OptionsType } from './interfaces.ts';
import { type Problems, report } from './problems.ts';
import { placeOf, type Sources } from './sources.ts';
import { type Doc, hasTag, readDoc } from './tags.ts';

export interface FixedLimit {
  readonly path: string;
  /** The constant. */
  readonly constant: string;
  readonly area: string;
  readonly doc: Doc;
  /** As the page shows it. */
  readonly shown: string;
  /** The option that it would be, where `@limit` names one: its interface and its name. */
  readonly option?: { readonly type: OptionsType; readonly name: string };
  /** How the value follows from an option, where `@default` says so. */
  readonly computed?: string;
}

export function readLimits(sources: Sources, types: readonly OptionsType[], problems: Problems): readonly FixedLimit[] {
  const limits: FixedLimit[] = [];
  for (const [path, text] of sources.texts) {
    if (!text.includes('@limit ')) continue;
    for (const statement of sources.file(path).statements)
      if (ts.isVariableStatement(statement) && hasTag(statement, 'limit'))
        limits.push(...limitOf(path, statement, sources, types, problems));
  }
  return limits;
}

function limitOf(
  path: string,
  statement: ts.VariableStatement,
  sources: Sources,
  types: readonly OptionsType[],
  problems: Problems,
): FixedLimit[] {
  const [declaration] = statement.declarationList.declarations;
  const constant = declaration?.name.getText() ?? '';
  const complain = (problem: string, fix: string): [] => {
    report(problems, placeOf(statement), `${constant} ${problem}`, fix);
    return [];
  };
  const doc = readDoc(statement, 'limit', constant, problems);
  const { limit: target = '', default: text } = doc.tags;
  const value = evaluated(declaration?.initializer, path, sources);
  const computed = /^computed:? (?<how>.+)$/.exec(text ?? '')?.groups?.how;
  const shown = computed ?? text ?? (value === undefined ? undefined : numberShown(value, constant.endsWith('Ms')));
  if (shown === undefined)
    return complain('is a limit that is no number.', 'Write a number, or how the page shows it after "@default".');
  if (areas[target] !== undefined) return [{ path, constant, area: target, doc, shown }];
  const [owner, name] = target.split('.');
  const type = types.find((each) => each.name === owner);
  if (type === undefined || name === undefined)
    return complain(
      `has "@limit ${target}".`,
      `Write an area (${Object.keys(areas).join(', ')}), or a tagged interface and the option: "@limit HttpLimits.maxStreams".`,
    );
  if (computed === undefined && !statement.modifiers?.some(({ kind }) => kind === ts.SyntaxKind.ExportKeyword))
    return complain('is not exported, and a table needs it.', 'Export it, from a file that does not import the table.');
  if (membersOf(type).some((member) => member.name === name))
    return complain(`fixes ${target}, which is an option.`, 'Remove the one or the other.');
  return [
    {
      path,
      constant,
      area: type.area,
      doc,
      shown,
      option: { type, name },
      ...(computed !== undefined && { computed }),
    },
  ];
}

/** The limits that are fixed in an interface, or in one that it extends. */
export const fixedIn = (limits: readonly FixedLimit[], type: OptionsType): readonly FixedLimit[] => {
  const lineage = lineageOf(type);
  return limits.filter(({ option }) => option !== undefined && lineage.includes(option.type));
};

/** The value of a number, of arithmetic on numbers, and of a constant of the same file. */
function evaluated(node: ts.Expression | undefined, path: string, sources: Sources): number | undefined {
  if (node === undefined) return undefined;
  if (ts.isNumericLiteral(node)) return Number(node.text);
  if (ts.isParenthesizedExpression(node)) return evaluated(node.expression, path, sources);
  if (ts.isIdentifier(node)) return evaluated(constantIn(node.text, path, sources), path, sources);
  if (!ts.isBinaryExpression(node)) return undefined;
  const [left, right] = [evaluated(node.left, path, sources), evaluated(node.right, path, sources)];
  const operation = operations[node.operatorToken.getText()];
  return left === undefined || right === undefined ? undefined : operation?.(left, right);
}

const operations: Readonly<Record<string, (left: number, right: number) => number>> = {
  '*': (left, right) => left * right,
  '/': (left, right) => left / right,
  '+': (left, right) => left + right,
  '-': (left, right) => left - right,
  '**': (left, right) => left ** right,
};

const constantIn = (name: string, path: string, sources: Sources): ts.Expression | undefined =>
  sources
    .file(path)
    .statements.filter(ts.isVariableStatement)
    .flatMap(({ declarationList }) => [...declarationList.declarations])
    .find((declaration) => declaration.name.getText() === name)?.initializer;
