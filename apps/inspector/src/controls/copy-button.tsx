/** Copies a text, and shows with a check that it has. */
import { useEffect, useState } from 'preact/hooks';
import { Icon } from './icon.tsx';

interface CopyButtonProps {
  /** What is copied, such as “the result”. */
  readonly what: string;
  /** Nothing to copy yet if there is none. */
  readonly text: (() => string) | undefined;
}

const shownMs = 1500;

export function CopyButton({ what, text }: CopyButtonProps) {
  const [outcome, setOutcome] = useState<'copied' | 'refused' | undefined>(undefined);
  useEffect(() => {
    if (outcome === undefined) return undefined;
    const timer = setTimeout(() => setOutcome(undefined), shownMs);
    return () => clearTimeout(timer);
  }, [outcome]);
  const label = `Copy ${what}`;
  const copy = (): void =>
    void navigator.clipboard.writeText(text?.() ?? '').then(
      () => setOutcome('copied'),
      () => setOutcome('refused'),
    );
  return (
    <>
      <button
        type="button"
        class={`icon-button ${outcome ?? ''}`}
        aria-label={label}
        title={label}
        disabled={text === undefined}
        onClick={copy}
      >
        <Icon name={outcome === 'copied' ? 'check' : outcome === 'refused' ? 'warning' : 'copy'} />
      </button>
      <span class="unseen" role="status">
        {outcome === 'copied' && 'Copied'}
        {outcome === 'refused' && 'The browser does not allow copying.'}
      </span>
    </>
  );
}
