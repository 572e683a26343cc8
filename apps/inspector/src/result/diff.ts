/** Compares two texts line by line. Pure. */

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

/** A line of each side; a side without one has none there. */
export interface LinePair {
  readonly before?: string;
  readonly after?: string;
  readonly isSame: boolean;
}

/** The same differences side by side: lines that were removed are beside those that took their place. */
export function linePairs(lines: readonly DiffLine[]): readonly LinePair[] {
  const pairs: LinePair[] = [];
  let removed: string[] = [];
  let added: string[] = [];
  const flush = (): void => {
    for (let at = 0; at < Math.max(removed.length, added.length); at++) {
      const [before, after] = [removed[at], added[at]];
      pairs.push({ ...(before !== undefined && { before }), ...(after !== undefined && { after }), isSame: false });
    }
    [removed, added] = [[], []];
  };
  for (const { side, text } of lines) {
    if (side === 'before') removed.push(text);
    else if (side === 'after') added.push(text);
    else {
      flush();
      pairs.push({ before: text, after: text, isSame: true });
    }
  }
  flush();
  return pairs;
}

/** A stretch of pairs: `isFolded` if all of them are the same, and too many to be of interest. */
export interface Stretch {
  readonly pairs: readonly LinePair[];
  readonly isFolded: boolean;
}

/** How many lines that are the same stay beside a difference. */
const context = 3;

export function stretchesOf(pairs: readonly LinePair[]): readonly Stretch[] {
  const isNear = pairs.map(() => false);
  for (const [at, { isSame }] of pairs.entries())
    if (!isSame) isNear.fill(true, Math.max(0, at - context), at + context + 1);
  const found: { pairs: LinePair[]; isFolded: boolean }[] = [];
  for (const [at, pair] of pairs.entries()) {
    const last = found.at(-1);
    if (last !== undefined && last.isFolded === !isNear[at]) last.pairs.push(pair);
    else found.push({ pairs: [pair], isFolded: isNear[at] !== true });
  }
  // A line takes no more room than the note that it is left out.
  return found.map((stretch) => (stretch.pairs.length === 1 ? { ...stretch, isFolded: false } : stretch));
}
