/** The kind of an option, by its name, its type and its tags, and the expression of its entry in the table. */
import ts from 'typescript';
import { type Default, numberCode, readDefault, readNumber, type Unit } from './default-value.ts';
import { type Member, type OptionsType, type OptionsTypes, wordsIn } from './interfaces.ts';
import { type Problems, report } from './problems.ts';
import type { Sources } from './sources.ts';

export interface Kind {
  readonly unit?: Unit;
  /** The table of its members, where it is a group. */
  readonly group?: OptionsType;
  /** The function or constant of `option-table.ts`, or the rule. */
  readonly uses: string;
  /** The file of the rule, where it is one. */
  readonly ruleIn?: string;
  /** What the function gets before the default. */
  readonly first?: string;
}

export interface Entry {
  readonly member: Member;
  readonly kind: Kind;
  readonly default: Default;
  readonly code: string;
}

/** The entry of an option; complains and returns `undefined` where it has none. */
export function entryOf(member: Member, sources: Sources, types: OptionsTypes, problems: Problems): Entry | undefined {
  const complain = (problem: string, fix: string): undefined => {
    report(problems, member.place, `${member.what} ${problem}`, fix);
    return undefined;
  };
  const kind = kindOf(member, sources, types);
  if (typeof kind === 'string') return complain(...(kind.split('|') as [string, string]));
  const { tags } = member.doc;
  if (tags.default === undefined && member.isOptional && kind.group === undefined)
    return complain(
      'has no @default.',
      `Write "@default ${examples[kind.unit ?? 'any']}", "@default off", or "@default computed" and how.`,
    );
  const value = tags.default === undefined ? { shown: '' } : readDefault(tags.default, kind.unit ?? 'any');
  if (value === undefined)
    return complain(
      `has the default "${tags.default}".`,
      `Write it as "${examples[kind.unit ?? 'any']}", "off", or "computed" and how.`,
    );
  const range = rangeOf(member, kind);
  if (range === undefined)
    return complain('has a wrong @least or @most.', `Write it as "${examples[kind.unit ?? 'any']}".`);
  const code = codeOf(kind, value, range);
  return { member, kind, default: value, code: member.isOptional ? code : `required(${code})` };
}

const examples: Readonly<Record<Unit, string>> = {
  ms: '30 s',
  number: '10,000',
  flag: 'false',
  text: "'/mcp'",
  any: "'127.0.0.1'",
};

const noKind =
  'has a type without a kind.|Tag the interface that it names, or write "@rule name" for an exported constant of type Rule.';

/** The kind, or the complaint and the fix with a bar between. */
function kindOf(member: Member, sources: Sources, types: OptionsTypes): Kind | string {
  const { name, doc, path } = member;
  const { tags } = doc;
  if (tags.rule !== undefined) return ruleOf(tags.rule, sources);
  const type = resolved(path, member.type, sources);
  if (type.node.kind === ts.SyntaxKind.NumberKeyword) return numberKind(name, tags.whole !== undefined, tags);
  if (type.node.kind === ts.SyntaxKind.BooleanKeyword) return { unit: 'flag', uses: 'flag' };
  if (type.node.kind === ts.SyntaxKind.StringKeyword) return { unit: 'text', uses: 'text' };
  if (ts.isFunctionTypeNode(type.node) || isCallable(type.path, type.node, sources)) return { uses: 'callback' };
  if (isTexts(type.node)) return { uses: 'texts' };
  const words = wordsIn(type.node);
  const parts = ts.isUnionTypeNode(type.node) ? type.node.types : [type.node];
  if (words.length === parts.length)
    return { unit: 'text', uses: 'oneOf', first: `[${words.map((word) => `'${word}'`).join(', ')}]` };
  return groupOf(type.path, parts, types, tags.default) ?? noKind;
}

function ruleOf(name: string, sources: Sources): Kind | string {
  const files = sources.filesWithRule(name);
  const [ruleIn] = files;
  if (ruleIn === undefined) return `names the rule ${name}, which is nowhere.|Write "export const ${name}: Rule = …".`;
  if (files.length > 1) return `names the rule ${name}, which several files have.|Rename one of ${files.join(', ')}.`;
  return { uses: name, ruleIn };
}

function numberKind(name: string, isWhole: boolean, { least, most }: Member['doc']['tags']): Kind | string {
  if (name.endsWith('Ms')) return { unit: 'ms', uses: 'ms' };
  if (isWhole || /^max[A-Z]|(?:Chars|Bytes)$/.test(name)) return { unit: 'number', uses: 'count' };
  if (least !== undefined || most !== undefined) return { unit: 'number', uses: 'amount' };
  return 'is a number of no kind.|Name it …Ms, max…, …Chars or …Bytes, or write @whole, @least or @rule.';
}

/** A tagged interface, alone or beside booleans. */
function groupOf(
  path: string,
  parts: readonly ts.TypeNode[],
  types: OptionsTypes,
  off: string | undefined,
): Kind | undefined {
  const groups = parts.map((part) => types.named(path, part)).filter((found) => found !== undefined);
  const others = parts.flatMap(booleansOf);
  const [group] = groups;
  if (
    group === undefined ||
    groups.length + parts.filter((part) => booleansOf(part).length > 0).length !== parts.length
  )
    return undefined;
  if (others.length > 0) return { group, uses: 'groupOr', first: `[${others.join(', ')}]` };
  return { group, uses: off === 'off' ? 'groupOrOff' : 'group' };
}

function booleansOf(type: ts.TypeNode): string[] {
  if (type.kind === ts.SyntaxKind.BooleanKeyword) return ['true', 'false'];
  if (!ts.isLiteralTypeNode(type)) return [];
  if (type.literal.kind === ts.SyntaxKind.FalseKeyword) return ['false'];
  return type.literal.kind === ts.SyntaxKind.TrueKeyword ? ['true'] : [];
}

/** Follows aliases of functions and of words; an interface stays a name. */
function resolved(path: string, type: ts.TypeNode, sources: Sources): { path: string; node: ts.TypeNode } {
  if (ts.isParenthesizedTypeNode(type)) return resolved(path, type.type, sources);
  if (!ts.isTypeReferenceNode(type) || !ts.isIdentifier(type.typeName)) return { path, node: type };
  const found = sources.typeNamed(path, type.typeName.text);
  if (found === undefined || !ts.isTypeAliasDeclaration(found.node)) return { path, node: type };
  return resolved(found.path, found.node.type, sources);
}

/** An interface with a call signature is a function with properties. */
function isCallable(path: string, type: ts.TypeNode, sources: Sources): boolean {
  if (!ts.isTypeReferenceNode(type) || !ts.isIdentifier(type.typeName)) return false;
  const found = sources.typeNamed(path, type.typeName.text)?.node;
  return found !== undefined && ts.isInterfaceDeclaration(found) && found.members.some(ts.isCallSignatureDeclaration);
}

function isTexts(type: ts.TypeNode): boolean {
  const list = ts.isTypeOperatorNode(type) ? type.type : type;
  return ts.isArrayTypeNode(list) && list.elementType.kind === ts.SyntaxKind.StringKeyword;
}

/** The bounds as code, empty where there are none; `undefined` for one that cannot be read. */
function rangeOf({ doc: { tags } }: Member, { unit }: Kind): string | undefined {
  const bounds = (['least', 'most'] as const).flatMap((name) => {
    const text = tags[name];
    if (text === undefined) return [];
    const number = text === 'none' ? Number.POSITIVE_INFINITY : readNumber(text, unit === 'ms' ? 'ms' : 'number');
    return [number === undefined ? undefined : `${name}: ${numberCode(number)}`];
  });
  if (bounds.includes(undefined)) return undefined;
  const flags = (['whole', 'orInfinity'] as const).filter(
    (name) => tags[name] !== undefined && !(name === 'whole' && unit === 'number'),
  );
  const all = [...bounds, ...flags.map((name) => `${name}: true`)];
  return all.length === 0 ? '' : `{ ${all.join(', ')} }`;
}

function codeOf({ uses, ruleIn, first, group }: Kind, { code }: Default, range: string): string {
  if (uses === 'callback') return uses;
  if (ruleIn !== undefined) return code === undefined ? uses : `withDefault(${uses}, ${code})`;
  const value = code ?? (range === '' ? undefined : 'undefined');
  const args = [first, group && tableName(group), value, range].filter((arg) => arg !== undefined && arg !== '');
  return `${uses}(${args.join(', ')})`;
}

/** `HttpLimits` has the table `httpLimits`. */
export const tableName = ({ name }: OptionsType): string => name.replace(/^./, (first) => first.toLowerCase());
