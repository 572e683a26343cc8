/** Reads the tagged interfaces: their members, also those of the interfaces they extend. */
import ts from 'typescript';
import { areas } from './areas.ts';
import { type Problems, report } from './problems.ts';
import { placeOf, type Sources } from './sources.ts';
import { type Doc, hasTag, readDoc } from './tags.ts';

/** An interface of options with `@area`. */
export interface OptionsType {
  readonly path: string;
  readonly name: string;
  readonly area: string;
  /** The function that takes them, where it is not the one of the area. */
  readonly of: string | undefined;
  /** It is only extended, or its checks are written by hand: the page has its limits, and there is no table. */
  readonly hasNoTable: boolean;
  readonly own: readonly Member[];
  readonly bases: readonly Base[];
}

interface Base {
  readonly type: OptionsType;
  readonly omitted: readonly string[];
}

/** One option. */
export interface Member {
  readonly name: string;
  /** As messages name it: `HttpLimits.maxBodyBytes`. */
  readonly what: string;
  readonly path: string;
  readonly place: string;
  readonly type: ts.TypeNode;
  readonly isOptional: boolean;
  readonly doc: Doc;
}

export interface OptionsTypes {
  readonly all: readonly OptionsType[];
  /** The tagged interface that a type names in a file, also through `Partial`, `Readonly` and an alias. */
  named(path: string, type: ts.TypeNode): OptionsType | undefined;
}

export function readOptionsTypes(sources: Sources, problems: Problems): OptionsTypes {
  const read = new Map<string, OptionsType>();

  function named(path: string, type: ts.TypeNode): OptionsType | undefined {
    if (!ts.isTypeReferenceNode(type) || !ts.isIdentifier(type.typeName)) return undefined;
    const { text: name } = type.typeName;
    const [first] = type.typeArguments ?? [];
    if (/^(?:Partial|Readonly|Omit)$/.test(name) && first !== undefined) return named(path, first);
    const found = sources.typeNamed(path, name);
    if (found === undefined) return undefined;
    if (ts.isTypeAliasDeclaration(found.node)) return named(found.path, found.node.type);
    return hasTag(found.node, 'area') ? typeOf(found.path, found.node) : undefined;
  }

  function typeOf(path: string, node: ts.InterfaceDeclaration): OptionsType {
    const key = `${path}#${node.name.text}`;
    const known = read.get(key);
    if (known !== undefined) return known;
    const { tags } = readDoc(node, 'interface', node.name.text, problems);
    const { area = '', of } = tags;
    if (areas[area] === undefined)
      report(problems, placeOf(node), `"${area}" is no area.`, `Areas are ${Object.keys(areas).join(', ')}.`);
    const type: OptionsType = {
      path,
      name: node.name.text,
      area,
      of,
      hasNoTable: tags.noTable !== undefined,
      own: node.members.flatMap((member) => memberOf(path, node.name.text, member, problems)),
      bases: (node.heritageClauses ?? []).flatMap(({ types }) => types.flatMap((base) => baseOf(path, base))),
    };
    read.set(key, type);
    return type;
  }

  function baseOf(path: string, base: ts.ExpressionWithTypeArguments): Base[] {
    const name = base.expression.getText();
    const reference = ts.factory.createTypeReferenceNode(name, base.typeArguments);
    const type = named(path, reference);
    if (type === undefined) {
      report(problems, placeOf(base), `${name} has no @area.`, 'Tag the interface that is extended too.');
      return [];
    }
    return [{ type, omitted: name === 'Omit' ? wordsIn(base.typeArguments?.[1]) : [] }];
  }

  for (const [path, text] of sources.texts)
    if (text.includes('@area '))
      for (const node of sources.file(path).statements)
        if (ts.isInterfaceDeclaration(node) && hasTag(node, 'area')) typeOf(path, node);

  return { all: [...read.values()], named };
}

function memberOf(path: string, owner: string, node: ts.TypeElement, problems: Problems): Member[] {
  const what = `${owner}.${node.name?.getText() ?? '…'}`;
  if (!ts.isPropertySignature(node) || node.type === undefined || node.name === undefined) {
    report(problems, placeOf(node), `${what} is not a property with a type.`, 'Write it as "readonly name?: Type".');
    return [];
  }
  const doc = readDoc(node, 'member', what, problems);
  const isOptional = node.questionToken !== undefined;
  return [{ name: node.name.getText(), what, path, place: placeOf(node), type: node.type, isOptional, doc }];
}

/** The words of a union of literals. */
export function wordsIn(type: ts.TypeNode | undefined): string[] {
  if (type === undefined) return [];
  if (ts.isUnionTypeNode(type)) return type.types.flatMap(wordsIn);
  return ts.isLiteralTypeNode(type) && ts.isStringLiteral(type.literal) ? [type.literal.text] : [];
}

/** All members, those that are inherited first; what is declared again replaces what was inherited. */
export function membersOf({ own, bases }: OptionsType): readonly Member[] {
  const inherited = bases.flatMap(({ type, omitted }) => membersOf(type).filter(({ name }) => !omitted.includes(name)));
  const all = new Map([...inherited, ...own].map((member) => [member.name, member]));
  return [...all.values()];
}

/** The interface and all that it extends. */
export const lineageOf = (type: OptionsType): readonly OptionsType[] => [
  type,
  ...type.bases.flatMap((base) => lineageOf(base.type)),
];
