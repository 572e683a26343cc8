/** A name that is cut in the middle where it has no room: names that begin alike stay apart. */

/** Shorter names have room nearly everywhere. */
const wholeChars = 24;
/** How much of the end always stays. */
const endChars = 12;

interface CutProps {
  readonly text: string;
  /** How many characters stand before it in its line. */
  readonly before?: number;
}

export function Cut({ text, before = 0 }: CutProps) {
  if (text.length <= wholeChars) return <>{text}</>;
  return (
    <>
      {/* Two parts would be read with a pause inside of a word. */}
      <span class="unseen">{text}</span>
      <span class="cut" aria-hidden="true" title={text} style={{ '--before': `${before}ch` }}>
        <span>{text.slice(0, -endChars)}</span>
        <span>{text.slice(-endChars)}</span>
      </span>
    </>
  );
}
