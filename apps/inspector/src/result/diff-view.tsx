/** Two JSON values side by side, with their differences marked; in a narrow pane one below the other. */
import { useState } from 'preact/hooks';
import { diffLines, type LinePair, linePairs, type Stretch, stretchesOf } from './diff.ts';

interface DiffViewProps {
  readonly before: unknown;
  readonly after: unknown;
  readonly label: string;
}

const linesOf = (value: unknown): readonly string[] => JSON.stringify(value, null, 2)?.split('\n') ?? [];

export const isSameJson = (one: unknown, other: unknown): boolean => JSON.stringify(one) === JSON.stringify(other);

export function DiffView({ before, after, label }: DiffViewProps) {
  const pairs = linePairs(diffLines(linesOf(before), linesOf(after)));
  return (
    <div class="diff mono" role="group" aria-label={label}>
      {stretchesOf(pairs).map((stretch, at) => (
        <StretchView key={at} stretch={stretch} />
      ))}
    </div>
  );
}

function StretchView({ stretch: { pairs, isFolded } }: { readonly stretch: Stretch }) {
  const [isOpen, setOpen] = useState(false);
  if (isFolded && !isOpen)
    return (
      <button type="button" class="diff-fold" onClick={() => setOpen(true)}>
        {pairs.length} lines that are the same
      </button>
    );
  return (
    <>
      {pairs.map((pair, at) => (
        <PairView key={at} pair={pair} />
      ))}
    </>
  );
}

/** The signs are for those who cannot see colours. */
const PairView = ({ pair: { before, after, isSame } }: { readonly pair: LinePair }) => (
  <div class={isSame ? 'diff-pair is-same' : 'diff-pair'}>
    <span class={before === undefined ? 'diff-none' : isSame ? '' : 'diff-before'}>
      {before !== undefined && `${isSame ? ' ' : '−'} ${before}`}
    </span>
    <span class={after === undefined ? 'diff-none' : isSame ? '' : 'diff-after'}>
      {after !== undefined && `${isSame ? ' ' : '+'} ${after}`}
    </span>
  </div>
);
