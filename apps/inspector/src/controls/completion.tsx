/** A text input that suggests values while the user types. Arrow keys choose, Enter takes, Escape closes. */
import { useEffect, useRef, useState } from 'preact/hooks';

interface CompletionProps {
  readonly id: string;
  readonly label: string;
  readonly value: string;
  readonly onChange: (value: string) => void;
  /** Suggestions for a text; none if the server has none. */
  readonly suggest: (text: string) => Promise<readonly string[]>;
  readonly isRequired?: boolean;
}

/** The suggestions, and the place of the one that the user has chosen; -1 for none. */
interface Shown {
  readonly found: readonly string[];
  readonly at: number;
}

const pauseMs = 120;

/** What the user has chosen stays so when later suggestions have it too. */
function placeIn(suggestions: readonly string[], { found, at }: Shown): number {
  const chosen = found[at];
  return chosen === undefined ? -1 : suggestions.indexOf(chosen);
}

/** Suggestions for the text while the list is open, and a function that chooses one. */
function useSuggestions({ value, suggest }: CompletionProps, isOpen: boolean): [Shown, (at: number) => void] {
  const [shown, setShown] = useState<Shown>({ found: [], at: -1 });
  const wanted = useRef(0);
  useEffect(() => {
    if (!isOpen) return undefined;
    const number = ++wanted.current;
    const timer = setTimeout(async () => {
      const values = await suggest(value).catch(() => []);
      // A slow answer to an earlier text is dropped.
      if (number !== wanted.current) return;
      const others = values.filter((each) => each !== value);
      setShown((shown) => ({ found: others, at: placeIn(others, shown) }));
    }, pauseMs);
    return () => clearTimeout(timer);
  }, [value, isOpen]);
  return [shown, (at) => setShown((before) => ({ ...before, at }))];
}

export function CompletionInput(props: CompletionProps) {
  const { id, label, value, onChange, isRequired = false } = props;
  const [isOpen, setOpen] = useState(false);
  const [{ found, at }, setAt] = useSuggestions(props, isOpen);
  const take = (chosen: string): void => {
    onChange(chosen);
    setOpen(false);
  };
  const onKey = (event: KeyboardEvent): void => {
    if (event.ctrlKey || event.metaKey) return;
    const moves: Readonly<Record<string, number>> = { ArrowDown: at + 1, ArrowUp: at - 1 };
    const to = moves[event.key];
    const chosen = found[at];
    if (to !== undefined) {
      setOpen(true);
      setAt(Math.max(-1, Math.min(to, found.length - 1)));
    } else if (event.key === 'Enter' && chosen !== undefined && isOpen) take(chosen);
    else if (event.key === 'Escape' && isOpen) setOpen(false);
    else return;
    event.preventDefault();
  };
  const isShown = isOpen && found.length > 0;
  return (
    <div class="completion">
      <input
        id={id}
        type="text"
        role="combobox"
        aria-label={label}
        aria-expanded={isShown}
        aria-controls={`${id}-found`}
        aria-activedescendant={at >= 0 ? `${id}-found-${at}` : undefined}
        aria-autocomplete="list"
        aria-required={isRequired}
        autocomplete="off"
        spellcheck={false}
        value={value}
        onInput={(event) => {
          onChange(event.currentTarget.value);
          setAt(-1);
          setOpen(true);
        }}
        onFocus={() => setOpen(true)}
        onBlur={() => setOpen(false)}
        onKeyDown={onKey}
      />
      <ul id={`${id}-found`} role="listbox" aria-label={`Suggestions for ${label}`} hidden={!isShown}>
        {found.map((each, place) => (
          <li
            key={each}
            id={`${id}-found-${place}`}
            role="option"
            aria-selected={place === at}
            // The input keeps the focus.
            onPointerDown={(event) => {
              event.preventDefault();
              take(each);
            }}
          >
            {each}
          </li>
        ))}
      </ul>
    </div>
  );
}
