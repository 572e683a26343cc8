/** Joins `server.update(…)` calls at the top level of a file in the definition of their server. */
import MagicString from 'magic-string';
import type { Node } from 'oxc-parser';
import { bare, createProject, nameOf, type ProjectFile, propertyOf } from '../syntax/project.ts';
import { enclosing, parseSource, textOf } from '../syntax/source-file.ts';
import { isFunction } from './handlers.ts';

/** `server.update((draft) => { draft.tools.name = value; })`. */
interface Update {
  readonly statement: Node;
  readonly kind: string;
  /** As in an object: `name` or `['name']`. */
  readonly key: string;
  readonly value: Node;
}

interface Definition {
  readonly name: string;
  readonly statement: Node;
  readonly object: Extract<Node, { type: 'ObjectExpression' }>;
}

export function tidyFile(path: string, text: string): string {
  const file = createProject([parseSource(path, text)]).get(path);
  if (file === undefined) return text;
  const changed = new MagicString(text);
  const { body } = file.source.program;
  body.forEach((statement, index) => {
    const definition = definitionIn(statement);
    if (definition !== undefined)
      join(changed, file, definition, updatesAfter(file, definition, body.slice(index + 1)));
  });
  return changed.toString();
}

function definitionIn(statement: Node): Definition | undefined {
  const declaration = statement.type === 'ExportNamedDeclaration' ? statement.declaration : statement;
  if (declaration?.type !== 'VariableDeclaration' || declaration.declarations.length !== 1) return undefined;
  const [declarator] = declaration.declarations;
  const call = declarator?.init && bare(declarator.init);
  if (declarator?.id.type !== 'Identifier' || call?.type !== 'CallExpression') return undefined;
  const [object] = call.arguments;
  const isServer = call.callee.type === 'Identifier' && /^create(?:Tenon)?Server$/.test(call.callee.name);
  return isServer && object?.type === 'ObjectExpression' ? { name: declarator.id.name, statement, object } : undefined;
}

/** The updates that follow, up to a statement that does something. */
function updatesAfter(file: ProjectFile, definition: Definition, statements: readonly Node[]): Update[] {
  const updates: Update[] = [];
  for (const statement of statements) {
    const update = updateOf(file, definition, statement);
    if (update !== undefined) updates.push(update);
    else if (!isDeclaration(file, definition.name, statement)) break;
  }
  return updates.filter(({ kind }) => propertyOf(definition.object, kind) === undefined);
}

function updateOf(file: ProjectFile, { name }: Definition, statement: Node): Update | undefined {
  const call = statement.type === 'ExpressionStatement' ? statement.expression : undefined;
  if (call?.type !== 'CallExpression' || call.callee.type !== 'MemberExpression') return undefined;
  const { object, property } = call.callee;
  const [change] = call.arguments;
  if (object.type !== 'Identifier' || object.name !== name || nameOf(property as never) !== 'update') return undefined;
  if (change?.type !== 'ArrowFunctionExpression' || change.body.type !== 'BlockStatement') return undefined;
  const [draft] = change.params;
  const [only, ...others] = change.body.body;
  const assignment = only?.type === 'ExpressionStatement' ? only.expression : undefined;
  if (assignment?.type !== 'AssignmentExpression' || assignment.operator !== '=' || others.length > 0) return undefined;
  const { left, right } = assignment;
  if (left.type !== 'MemberExpression' || left.object.type !== 'MemberExpression') return undefined;
  const of = left.object.object;
  if (of.type !== 'Identifier' || draft?.type !== 'Identifier' || of.name !== draft.name) return undefined;
  const key = textOf(file.source, left.property);
  return {
    statement,
    kind: nameOf(left.object.property as never),
    key: left.computed ? `[${key}]` : key,
    value: right,
  };
}

/** A statement that only declares something, and that can come before the server. */
function isDeclaration(file: ProjectFile, server: string, statement: Node): boolean {
  const node = statement.type === 'ExportNamedDeclaration' ? (statement.declaration ?? statement) : statement;
  if (/^(?:ImportDeclaration|FunctionDeclaration|TS|EmptyStatement)/.test(node.type)) return true;
  if (node.type !== 'VariableDeclaration') return false;
  const inside = file.source.nodes.filter(({ start, end }) => start >= node.start && end <= node.end);
  const runs = inside.filter((one) => !(enclosing(file.source, one, isFunction) !== undefined));
  return !runs.some(
    (one) =>
      (one.type === 'Identifier' && one.name === server) ||
      one.type === 'AwaitExpression' ||
      ((one.type === 'CallExpression' || one.type === 'NewExpression') && runsOwnCode(file, one.callee)),
  );
}

/** Whether a call runs a function of this file, which may use the server. */
function runsOwnCode(file: ProjectFile, callee: Node): boolean {
  let root = bare(callee);
  while (root.type === 'MemberExpression' || root.type === 'CallExpression') {
    root = bare(root.type === 'MemberExpression' ? root.object : root.callee);
  }
  if (root.type !== 'Identifier') return true;
  const binding = file.scopes.resolve(root);
  if (binding === undefined || binding.kind === 'import') return false;
  const init = binding.node.type === 'VariableDeclarator' && binding.node.init ? bare(binding.node.init) : undefined;
  return init === undefined || isFunction(init);
}

/** Moves the definition to its last update, and the values of all updates into it. */
function join(changed: MagicString, file: ProjectFile, definition: Definition, updates: readonly Update[]): void {
  const last = updates.at(-1);
  if (last === undefined) return;
  const { source } = file;
  const kinds = [...new Set(updates.map(({ kind }) => kind))];
  const features = kinds.map((kind) => {
    const own = updates.filter((one) => one.kind === kind);
    const lines = own.map(
      ({ statement, key, value }) => `${notesOf(file, statement)}    ${key}: ${textOf(source, value)},\n`,
    );
    return `  ${kind}: {\n${lines.join('')}  },\n`;
  });
  const { statement, object } = definition;
  const inside = source.text.slice(object.start + 1, object.end - 1).trimEnd();
  const comma = inside === '' || inside.endsWith(',') ? '' : ',';
  const text = `${source.text.slice(statement.start, object.start + 1)}${inside}${comma}\n${features.join('')}}${source.text.slice(object.end, statement.end)}`;
  removeLine(changed, source.text, statement.start, statement.end);
  for (const update of updates) {
    const start = update.statement.start - notesOf(file, update.statement).length;
    if (update === last) changed.update(start, update.statement.end, text);
    else removeLine(changed, source.text, start, update.statement.end);
  }
}

/** The lines of comments right above a statement, with their ends of line. */
function notesOf({ source }: ProjectFile, statement: Node): string {
  let start = statement.start;
  for (const comment of [...source.comments].reverse()) {
    if (comment.end > start || !/^[ \t]*\r?\n[ \t]*$/.test(source.text.slice(comment.end, start))) continue;
    if (!/(?:^|\n)[ \t]*$/.test(source.text.slice(0, comment.start))) continue;
    start = comment.start;
  }
  return source.text.slice(start, statement.start);
}

function removeLine(changed: MagicString, text: string, start: number, end: number): void {
  const rest = /^[ \t]*\r?\n/.exec(text.slice(end))?.[0].length ?? 0;
  changed.remove(start, end + rest);
}
