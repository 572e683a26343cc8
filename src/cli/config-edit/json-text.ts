/** Sets and removes a property in the text of JSON with comments. Every character outside of it stays as it is. */
import { createScanner, findNodeAtLocation, type Node, parseTree, type SyntaxKind } from 'jsonc-parser';

/** The kinds of tokens that stand between two properties; the package has them as a constant enum. */
const kinds: Readonly<Record<'closeBrace' | 'comma' | 'lineComment' | 'blockComment' | 'lineBreak', SyntaxKind>> = {
  closeBrace: 2,
  comma: 5,
  lineComment: 12,
  blockComment: 13,
  lineBreak: 14,
};

const treeOf = (text: string): Node => parseTree(text, [], { allowTrailingComma: true }) as Node;

const endOf = ({ offset, length }: Node): number => offset + length;

const spliced = (text: string, from: number, to: number, fresh: string): string =>
  `${text.slice(0, from)}${fresh}${text.slice(to)}`;

/** The text with the value at the end of a path; missing objects are created. */
export function withValue(text: string, path: readonly string[], value: unknown): string {
  const root = treeOf(text);
  const there = findNodeAtLocation(root, [...path]);
  if (there !== undefined) {
    const indent = indentAt(text, there.parent?.offset ?? 0);
    return spliced(text, there.offset, endOf(there), printed(text, value, indent));
  }
  const parentPath = path.slice(0, -1);
  const parent = findNodeAtLocation(root, parentPath);
  const name = path.at(-1) ?? '';
  // The parent is not there either: it is added with the property in it.
  if (parent === undefined) return withValue(text, parentPath, { [name]: value });
  return withProperty(text, parent, name, value);
}

function withProperty(text: string, parent: Node, name: string, value: unknown): string {
  const eol = eolOf(text);
  const outer = indentAt(text, parent.offset);
  const last = parent.children?.at(-1);
  const indent = last === undefined || isFlat(text, parent) ? `${outer}${unitOf(text)}` : indentAt(text, last.offset);
  const line = `${eol}${indent}${JSON.stringify(name)}: ${printed(text, value, indent)}`;
  if (last === undefined) {
    const rest = text.slice(parent.offset + 1, endOf(parent) - 1);
    return spliced(text, parent.offset + 1, parent.offset + 1, rest.includes('\n') ? line : `${line}${eol}${outer}`);
  }
  const { at, comma } = afterProperty(text, endOf(last));
  const inserted = spliced(text, at, at, line);
  return comma === undefined ? spliced(inserted, endOf(last), endOf(last), ',') : inserted;
}

/** The text without a property and the comment after it. */
export function withoutValue(text: string, path: readonly string[]): string {
  const property = findNodeAtLocation(treeOf(text), [...path])?.parent as Node;
  const siblings = property.parent?.children ?? [];
  const before = siblings[siblings.indexOf(property) - 1];
  const isLast = siblings.at(-1) === property;
  const { at, comma } = afterProperty(text, endOf(property));
  const start = text.slice(0, property.offset).trimEnd().length;
  const removed = spliced(text, start, at, '');
  if (!isLast || before === undefined || comma !== undefined) return removed;
  // The property before it is the last one now: it must not end with a comma.
  const { comma: left } = afterProperty(text, endOf(before));
  return left === undefined ? removed : spliced(removed, left, left + 1, '');
}

/** The end of a property with its comma and the comment on its line, and where its comma is. */
function afterProperty(text: string, from: number): { readonly at: number; readonly comma: number | undefined } {
  const scanner = createScanner(text, false);
  scanner.setPosition(from);
  let at = from;
  let comma: number | undefined;
  for (let kind = scanner.scan(); ; kind = scanner.scan()) {
    const offset = scanner.getTokenOffset();
    if (kind === kinds.comma && comma === undefined) comma = offset;
    else if (kind === kinds.lineBreak || kind === kinds.closeBrace || scanner.getTokenLength() === 0) break;
    else if (kind !== kinds.lineComment && kind !== kinds.blockComment && text.slice(offset, offset + 1).trim() !== '')
      break;
    if (kind === kinds.comma || kind === kinds.lineComment || kind === kinds.blockComment)
      at = offset + scanner.getTokenLength();
  }
  return { at, comma };
}

/** Whether an object is written on one line. */
const isFlat = (text: string, node: Node): boolean => !text.slice(node.offset, endOf(node)).includes('\n');

function indentAt(text: string, offset: number): string {
  const line = text.slice(text.lastIndexOf('\n', offset - 1) + 1, offset);
  return /^[ \t]*/.exec(line)?.[0] ?? '';
}

const unitOf = (text: string): string => /\n([ \t]+)\S/.exec(text)?.[1] ?? '  ';

const eolOf = (text: string): string => (text.includes('\r\n') ? '\r\n' : '\n');

const printed = (text: string, value: unknown, indent: string): string =>
  JSON.stringify(value, null, unitOf(text)).replaceAll('\n', `${eolOf(text)}${indent}`);
