/** A declaration as lines of the API report, and the names of types in it. */
import ts from 'typescript';

export interface Described {
  readonly lines: readonly string[];
  /** Names that the declaration refers to. */
  readonly references: readonly ts.Node[];
}

/** `name` is the public one; the declaration may have another. */
export function describeDeclaration(name: string, node: ts.Declaration): Described {
  const references: ts.Node[] = [];
  const visit = (each: ts.Node): void => {
    if (isPrivate(each)) return;
    if (ts.isTypeReferenceNode(each)) references.push(each.typeName);
    if (ts.isExpressionWithTypeArguments(each)) references.push(each.expression);
    if (ts.isTypeQueryNode(each)) references.push(each.exprName);
    if (ts.isImportTypeNode(each) && each.qualifier !== undefined) references.push(each.qualifier);
    ts.forEachChild(each, visit);
  };
  visit(node);
  return { lines: linesOf(name, node), references };
}

function linesOf(name: string, node: ts.Declaration): string[] {
  if (ts.isInterfaceDeclaration(node) || ts.isClassDeclaration(node)) {
    const kind = ts.isInterfaceDeclaration(node) ? 'interface' : 'class';
    const heritage = (node.heritageClauses ?? []).map((clause) => ` ${textOf(clause)}`).join('');
    const members = [...node.members].filter((member) => !isPrivate(member));
    return [
      `${name}: ${kind}${parametersOf(node)}${heritage}`,
      ...members.map((member) => `${name} { ${textOf(member)} }`),
    ];
  }
  if (ts.isTypeAliasDeclaration(node)) return [`${name}: type${parametersOf(node)} = ${textOf(node.type)}`];
  if (ts.isFunctionDeclaration(node)) {
    const result = node.type === undefined ? '' : `: ${textOf(node.type)}`;
    return [`${name}: function${parametersOf(node)}(${node.parameters.map(textOf).join(', ')})${result}`];
  }
  if (ts.isVariableDeclaration(node)) {
    const type = node.type ?? node.initializer;
    return [`${name}: const ${type === undefined ? 'any' : textOf(type)}`];
  }
  return [`${name}: ${textOf(node)}`];
}

type Generic = ts.InterfaceDeclaration | ts.ClassDeclaration | ts.TypeAliasDeclaration | ts.FunctionDeclaration;

const parametersOf = ({ typeParameters }: Generic): string =>
  typeParameters === undefined ? '' : `<${typeParameters.map(textOf).join(', ')}>`;

const textOf = (node: ts.Node): string => node.getText().replace(/\s+/g, ' ').replace(/;$/, '');

function isPrivate(node: ts.Node): boolean {
  if (!ts.isClassElement(node)) return false;
  if (node.name !== undefined && ts.isPrivateIdentifier(node.name)) return true;
  const modifiers = ts.canHaveModifiers(node) ? ts.getModifiers(node) : undefined;
  return modifiers?.some(({ kind }) => kind === ts.SyntaxKind.PrivateKeyword) === true;
}
