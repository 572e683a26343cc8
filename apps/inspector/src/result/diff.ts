/** Compares two results line by line. */

export interface DiffLine {
  readonly side: 'both' | 'before' | 'after';
  readonly text: string;
}

/** Longer texts are compared only where they begin and end the same. */
const maxCells = 4_000_000;

export function diffLines(before: readonly string[], after: readonly string[]): readonly DiffLine[] {
  let start = 0;
  while (start < before.length && start < after.length && before[start] === after[start]) start += 1;
  let end = 0;
  while (end < Math.min(before.length, after.length) - start && before.at(-1 - end) === after.at(-1 - end)) end += 1;
  const both = (texts: readonly string[]): DiffLine[] => texts.map((text) => ({ side: 'both', text }));
  return [
    ...both(before.slice(0, start)),
    ...changed(before.slice(start, before.length - end), after.slice(start, after.length - end)),
    ...both(before.slice(before.length - end)),
  ];
}

/** The longest common subsequence decides which lines stay. */
function changed(before: readonly string[], after: readonly string[]): readonly DiffLine[] {
  const removed = (texts: readonly string[]): DiffLine[] => texts.map((text) => ({ side: 'before', text }));
  const added = (texts: readonly string[]): DiffLine[] => texts.map((text) => ({ side: 'after', text }));
  const width = after.length + 1;
  if (before.length * width > maxCells) return [...removed(before), ...added(after)];
  const lengths = new Uint32Array((before.length + 1) * width);
  const at = (one: number, other: number): number => lengths[one * width + other] ?? 0;
  for (let one = before.length - 1; one >= 0; one--)
    for (let other = after.length - 1; other >= 0; other--)
      lengths[one * width + other] =
        before[one] === after[other] ? at(one + 1, other + 1) + 1 : Math.max(at(one + 1, other), at(one, other + 1));
  const lines: DiffLine[] = [];
  let [one, other] = [0, 0];
  while (one < before.length && other < after.length) {
    const [old = '', now = ''] = [before[one], after[other]];
    if (old === now) {
      lines.push({ side: 'both', text: old });
      one += 1;
      other += 1;
    } else if (at(one + 1, other) >= at(one, other + 1)) {
      lines.push({ side: 'before', text: old });
      one += 1;
    } else {
      lines.push({ side: 'after', text: now });
      other += 1;
    }
  }
  return [...lines, ...removed(before.slice(one)), ...added(after.slice(other))];
}
