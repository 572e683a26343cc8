/** Finds public names without JSDoc: functions, classes, types, constants, and the members of classes and object types. */
import ts from 'typescript';
import { resolved } from './mentioned-types.ts';

export interface Undocumented {
  /** The file that declares it. */
  readonly file: string;
  /** `connect`, or `ConnectOptions.handlers`. */
  readonly name: string;
}

export function undocumented(
  checker: ts.TypeChecker,
  exported: readonly ts.Symbol[],
  hasOwnMembers: (file: string) => boolean,
): readonly Undocumented[] {
  return exported.flatMap((symbol) => {
    const target = resolved(checker, symbol);
    const own = hasText(checker, target) ? [] : [{ file: fileOf(target), name: symbol.name }];
    if (!(target.flags & typeFlags)) return own;
    const members = undocumentedMembers(checker, symbol.name, checker.getDeclaredTypeOfSymbol(target));
    return [...own, ...members.filter(({ file }) => hasOwnMembers(file))];
  });
}

const typeFlags = ts.SymbolFlags.Interface | ts.SymbolFlags.Class | ts.SymbolFlags.TypeAlias;

/** The JSDoc of a union describes its variants: their members need none of their own. */
function undocumentedMembers(checker: ts.TypeChecker, name: string, type: ts.Type): Undocumented[] {
  if (!(type.flags & ts.TypeFlags.Object)) return [];
  return checker.getPropertiesOfType(type).flatMap((member) => {
    const [declaration] = member.declarations ?? [];
    if (declaration === undefined || member.name.startsWith('__')) return [];
    const place = { file: fileOf(member), name: `${name}.${member.name}` };
    const own = hasText(checker, member) || isTag(declaration) ? [] : [place];
    return [...own, ...undocumentedParts(checker, place.name, declaration)];
  });
}

/** The members of an object type that is written in place, such as `Client.tools.call`. */
function undocumentedParts(checker: ts.TypeChecker, name: string, member: ts.Declaration): Undocumented[] {
  if (!ts.isPropertySignature(member) || member.type === undefined || !ts.isTypeLiteralNode(member.type)) return [];
  return undocumentedMembers(checker, name, checker.getTypeFromTypeNode(member.type));
}

/** A member with one possible text, such as `kind: 'tool'`, only distinguishes types. */
const isTag = (member: ts.Declaration): boolean =>
  ts.isPropertySignature(member) &&
  member.type !== undefined &&
  ts.isLiteralTypeNode(member.type) &&
  ts.isStringLiteral(member.type.literal);

const hasText = (checker: ts.TypeChecker, symbol: ts.Symbol): boolean =>
  symbol.getDocumentationComment(checker).length > 0;

const fileOf = (symbol: ts.Symbol): string => symbol.declarations?.[0]?.getSourceFile().fileName ?? '';
