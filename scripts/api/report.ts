/** The public API as text: a line for each name of an entry point and each member of a type, sorted, without comments. */
import type ts from 'typescript';
import { describeDeclaration } from './declaration-lines.ts';
import { type DeclaredEntries, declaredEntries, isNamed, resolved } from './declared-entries.ts';

/** The report of each entry point, by the name of its file. */
export function apiReports(root: string): ReadonlyMap<string, string> {
  const declared = declaredEntries(root, { comments: false });
  return new Map(declared.entries.map(({ name }) => [fileOf(name), textOf(name, declared)]));
}

export const fileOf = (entry: string): string => entry.replace(/^tenon\//, '').replaceAll('/', '-');

/** The names of an entry, and the types without a public name that they lead to. */
function textOf(entry: string, { checker, exported, homes, isOurs }: DeclaredEntries): string {
  const lines = new Set<string>();
  const seen = new Set<ts.Symbol>();
  const queue: { readonly name: string; readonly target: ts.Symbol }[] = [];
  for (const symbol of exported.get(entry) ?? []) {
    const target = resolved(checker, symbol);
    const home = homes.get(target);
    if (home === entry) queue.push({ name: symbol.name, target });
    else lines.add(`${symbol.name}: as in ${home}`);
  }
  for (const { name, target } of queue) {
    seen.add(target);
    for (const node of (target.declarations ?? []).filter(isOurs)) {
      const { lines: own, references } = describeDeclaration(name, node);
      for (const line of own) lines.add(line);
      for (const reference of references) {
        const symbol = checker.getSymbolAtLocation(reference);
        const type = symbol && resolved(checker, symbol);
        if (type === undefined || seen.has(type) || homes.has(type) || !isNamed(type)) continue;
        seen.add(type);
        queue.push({ name: type.name, target: type });
      }
    }
  }
  return [...lines]
    .sort()
    .map((line) => `${line}\n`)
    .join('');
}
