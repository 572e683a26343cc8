/** The lines of a file that a conversion changes, with their numbers before and after. */
import type { SourceText } from './migrate.ts';

/** How far a line that is in both texts is looked for. */
const reach = 400;

/** The path, then `12 - before` and `12 + after` for each line that goes or comes. */
export function changedLines(before: readonly SourceText[], { path, text }: SourceText): string[] {
  const old = (before.find((file) => file.path === path)?.text ?? '').split('\n');
  const now = text.split('\n');
  const lines: string[] = [path];
  let [at, to] = [0, 0];
  while (at < old.length || to < now.length) {
    if (old[at] === now[to]) {
      at++;
      to++;
      continue;
    }
    const [removed, added] = nextEqual(old, now, at, to);
    for (let index = 0; index < removed; index++) lines.push(`  ${at + index + 1} - ${old[at + index]}`);
    for (let index = 0; index < added; index++) lines.push(`  ${to + index + 1} + ${now[to + index]}`);
    at += removed;
    to += added;
  }
  return [...lines, ''];
}

/** How many lines of each text come before the next line that both have. */
function nextEqual(old: readonly string[], now: readonly string[], at: number, to: number): readonly [number, number] {
  for (let far = 1; far < reach; far++) {
    for (let removed = 0; removed <= far; removed++) {
      const [left, right] = [at + removed, to + far - removed];
      const isSame = left < old.length && right < now.length && old[left] === now[right];
      // Lines of signs alone, such as `});`, are everywhere.
      if (isSame && (/\w/.test(old[left] ?? '') || old[left + 1] === now[right + 1])) return [removed, far - removed];
    }
  }
  return [old.length - at, now.length - to];
}
