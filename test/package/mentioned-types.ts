/** The types that the public names of an entry point mention: in signatures, members and the types those are made of. */
import ts from 'typescript';

export interface MentionedType {
  readonly symbol: ts.Symbol;
  /** The public name, or the type it leads to, that mentions it. */
  readonly by: string;
}

/** The value of a private symbol, and the bounds of type parameters: a program can neither reach them nor infer them. */
const internal: ReadonlySet<string> = new Set(['ServerInternals', 'Mountable', 'Follower']);

/** Utility types that map their argument: the compiler does not need the name of the argument. */
const mappingTypes: ReadonlySet<string> = new Set(['Omit', 'Pick', 'Partial', 'Required']);

/** The named types of the project that signatures and members of these symbols mention, and all that those mention. */
export function mentionedTypes(
  checker: ts.TypeChecker,
  exported: readonly ts.Symbol[],
  isSource: (file: string) => boolean,
  depth: 'signatures' | 'all' = 'all',
): readonly MentionedType[] {
  const seen = new Set<ts.Symbol>();
  const found: MentionedType[] = [];
  const queue = exported.map((symbol) => ({ symbol: resolved(checker, symbol), by: symbol.name }));
  for (const { symbol, by } of queue) {
    if (seen.has(symbol)) continue;
    seen.add(symbol);
    for (const { name, isBase } of referencesOf(symbol)) {
      const reference = checker.getSymbolAtLocation(name);
      const target = reference && resolved(checker, reference);
      const [declaration] = target?.declarations ?? [];
      if (target === undefined || declaration === undefined || !isSource(declaration.getSourceFile().fileName))
        continue;
      if (!isNamedType(declaration) || internal.has(target.name)) continue;
      if (!isBase && isExported(declaration)) found.push({ symbol: target, by });
      if (depth === 'all') queue.push({ symbol: target, by: target.name });
    }
  }
  return found;
}

export const resolved = (checker: ts.TypeChecker, symbol: ts.Symbol): ts.Symbol =>
  symbol.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(symbol) : symbol;

const isNamedType = (node: ts.Node): boolean =>
  ts.isInterfaceDeclaration(node) || ts.isClassDeclaration(node) || ts.isTypeAliasDeclaration(node);

/** A type that its file does not export is inlined by the compiler: it needs no public name. */
const isExported = (node: ts.Declaration): boolean =>
  (ts.getCombinedModifierFlags(node) & ts.ModifierFlags.Export) !== 0;

interface Reference {
  readonly name: ts.Node;
  /** Members of a base type are members of the type itself: the base needs no public name. */
  readonly isBase: boolean;
}

/** The type names in a declaration, as far as a user can see them: no bodies, no private members. */
function referencesOf(symbol: ts.Symbol): readonly Reference[] {
  const found: Reference[] = [];
  const visit = (node: ts.Node | undefined): void => {
    if (node === undefined || ts.isBlock(node) || isPrivate(node)) return;
    if (ts.isTypeReferenceNode(node)) found.push({ name: node.typeName, isBase: isMapped(node) });
    if (ts.isExpressionWithTypeArguments(node)) found.push({ name: node.expression, isBase: true });
    if (ts.isVariableDeclaration(node))
      return node.type === undefined ? visitSignature(node.initializer) : visit(node.type);
    if (ts.isFunctionDeclaration(node)) return visitSignature(node);
    if (ts.isParameter(node) || ts.isPropertyDeclaration(node)) return visit(node.type);
    ts.forEachChild(node, visit);
  };
  const visitSignature = (node: ts.Node | undefined): void => {
    if (node === undefined || !ts.isFunctionLike(node)) return;
    for (const part of [...(node.typeParameters ?? []), ...node.parameters, node.type]) visit(part);
  };
  for (const declaration of symbol.declarations ?? []) visit(declaration);
  return found;
}

const isMapped = ({ parent }: ts.TypeReferenceNode): boolean =>
  (ts.isTypeReferenceNode(parent) && mappingTypes.has(parent.typeName.getText())) ||
  (ts.isExpressionWithTypeArguments(parent) && mappingTypes.has(parent.expression.getText()));

const isPrivate = (node: ts.Node): boolean =>
  ts.isClassElement(node) && node.name !== undefined && ts.isPrivateIdentifier(node.name);
