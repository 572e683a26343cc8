/** Finds public names without JSDoc: functions, classes, types, constants, and members of types that end in `Options`. */
import ts from 'typescript';
import { resolved } from './mentioned-types.ts';

export interface Undocumented {
  /** The file that declares it. */
  readonly file: string;
  /** `connect`, or `ConnectOptions.handlers`. */
  readonly name: string;
}

export function undocumented(checker: ts.TypeChecker, exported: readonly ts.Symbol[]): readonly Undocumented[] {
  return exported.flatMap((symbol) => {
    const target = resolved(checker, symbol);
    const own = hasText(checker, target) ? [] : [{ file: fileOf(target), name: symbol.name }];
    return [...own, ...undocumentedMembers(checker, symbol.name, target)];
  });
}

function undocumentedMembers(checker: ts.TypeChecker, name: string, target: ts.Symbol): Undocumented[] {
  if (!name.endsWith('Options') || !(target.flags & ts.SymbolFlags.Interface)) return [];
  const members = checker.getPropertiesOfType(checker.getDeclaredTypeOfSymbol(target));
  return members
    .filter((member) => !hasText(checker, member))
    .map((member) => ({ file: fileOf(member), name: `${name}.${member.name}` }));
}

const hasText = (checker: ts.TypeChecker, symbol: ts.Symbol): boolean =>
  symbol.getDocumentationComment(checker).length > 0;

const fileOf = (symbol: ts.Symbol): string => symbol.declarations?.[0]?.getSourceFile().fileName ?? '';
