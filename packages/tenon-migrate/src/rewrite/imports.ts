/** The imports of a file after its statements are rewritten: those that nothing uses go, those of Tenon come. */
import MagicString from 'magic-string';
import type { Node } from 'oxc-parser';
import { isSdk } from '../sdk.ts';
import { createProject, type ProjectFile } from '../syntax/project.ts';
import { parseSource, textOf } from '../syntax/source-file.ts';

type ImportNode = Extract<Node, { type: 'ImportDeclaration' }>;

const types = new Set(['Server']);
const homes: Readonly<Record<string, string>> = { z: 'zod', sdkHandler: 'tenon/official' };

/** Rewrites the imports of a text; `before` is the file as it was. */
export function rewriteImports(text: string, before: ProjectFile, needs: ReadonlyMap<string, string>): string {
  const source = parseSource(before.source.path, text);
  const file = createProject([source]).get(source.path);
  if (file === undefined) return text;
  const changed = new MagicString(text);
  const wasUsed = new Set(
    before.scopes.bindings
      .filter(({ kind, references }) => kind === 'import' && references.length > 0)
      .map(({ name }) => name),
  );
  const isUnused = (local: string): boolean =>
    wasUsed.has(local) &&
    file.scopes.bindings.some((one) => one.name === local && one.kind === 'import' && one.references.length === 0);
  const declarations = source.program.body.filter((node): node is ImportNode => node.type === 'ImportDeclaration');
  const official = declarations.filter((one) => isSdk(one.source.value));
  const statements = statementsFor(
    needs,
    /['"`]/.exec(textOf(source, declarations[0]?.source ?? { start: 0, end: 0 }))?.[0] ?? "'",
  );
  const [place] = [
    ...official.filter((one) => one.specifiers.some(({ local }) => isUnused(local.name))),
    ...declarations.slice(-1),
  ];
  for (const declaration of official)
    removeUnused(changed, file, declaration, isUnused, declaration === place ? statements : []);
  const isWritten = place !== undefined && official.includes(place);
  if (statements.length > 0 && !isWritten) {
    if (place === undefined) changed.appendLeft(startOf(text), `${statements.join('\n')}\n`);
    else changed.appendLeft(place.end, `\n${statements.join('\n')}`);
  }
  return changed.toString();
}

/** One statement for each module. */
function statementsFor(needs: ReadonlyMap<string, string>, quote: string): string[] {
  const main = needs.has('serveStdio') ? 'tenon/stdio' : 'tenon';
  const names = [...needs].map(([name, local]) => ({
    from: homes[name] ?? main,
    text: `${types.has(name) ? 'type ' : ''}${name}${local === name ? '' : ` as ${local}`}`,
    name,
  }));
  const modules = [...new Set(names.map(({ from }) => from))].sort();
  return modules.map((module) => {
    const own = names
      .filter(({ from }) => from === module)
      .sort((a, b) => (a.name.toLowerCase() < b.name.toLowerCase() ? -1 : 1));
    return `import { ${own.map((one) => one.text).join(', ')} } from ${quote}${module}${quote};`;
  });
}

/** Removes specifiers, or the whole statement; writes other statements in its place. */
function removeUnused(
  changed: MagicString,
  { source }: ProjectFile,
  declaration: ImportNode,
  isUnused: (local: string) => boolean,
  instead: readonly string[],
): void {
  const kept = declaration.specifiers.filter(({ local }) => !isUnused(local.name));
  if (kept.length === declaration.specifiers.length) {
    if (instead.length > 0) changed.appendLeft(declaration.end, `\n${instead.join('\n')}`);
    return;
  }
  if (kept.length > 0) {
    const named = kept.filter(({ type }) => type === 'ImportSpecifier');
    const others = kept.filter(({ type }) => type !== 'ImportSpecifier').map((one) => textOf(source, one));
    const list = named.length > 0 ? [...others, `{ ${named.map((one) => textOf(source, one)).join(', ')} }`] : others;
    const keyword = declaration.importKind === 'type' ? 'import type' : 'import';
    const [first, last] = [declaration.start, declaration.source.start];
    changed.update(first, last, `${keyword} ${list.join(', ')} from `);
    if (instead.length > 0) changed.appendLeft(declaration.end, `\n${instead.join('\n')}`);
    return;
  }
  if (instead.length > 0) {
    changed.update(declaration.start, declaration.end, instead.join('\n'));
    return;
  }
  const rest = /^[ \t]*\r?\n/.exec(source.text.slice(declaration.end))?.[0].length ?? 0;
  changed.remove(declaration.start, declaration.end + rest);
}

/** Behind `#!…`. */
const startOf = (text: string): number => /^#!.*\r?\n/.exec(text)?.[0].length ?? 0;
