/** Finds circles of files that import each other. */
import type { SourceFile } from './source-tree.ts';

/** Each circle as `a -> b -> a`, found by walking depth first; one is reported for every import that closes one. */
export function cyclesIn(files: readonly SourceFile[]): string[] {
  const graph = new Map(files.map(({ path, imports }) => [path, imports]));
  const done = new Set<string>();
  const trail: string[] = [];
  const found: string[] = [];
  const visit = (path: string): void => {
    const start = trail.indexOf(path);
    if (start !== -1) {
      found.push([...trail.slice(start), path].join(' -> '));
      return;
    }
    if (done.has(path)) return;
    trail.push(path);
    for (const target of graph.get(path) ?? []) visit(target);
    trail.pop();
    done.add(path);
  };
  for (const path of graph.keys()) visit(path);
  return found;
}
