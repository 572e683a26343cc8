/** One Tab stop for a list: arrow keys, Home and End move inside of it. */
import type { RefObject } from 'preact';
import { useLayoutEffect, useRef } from 'preact/hooks';

interface OneStop<Box extends HTMLElement> {
  readonly ref: RefObject<Box | null>;
  readonly onKeyDown: (event: KeyboardEvent) => void;
  readonly onFocusIn: () => void;
}

/** The properties of the box around the list. `items` selects what has the focus in it, such as `button`. */
export function useOneStop<Box extends HTMLElement>(items: string): OneStop<Box> {
  const ref = useRef<Box>(null);
  const all = (): HTMLElement[] => [...(ref.current?.querySelectorAll<HTMLElement>(items) ?? [])];
  const setStop = (): void => {
    const found = all();
    const stop = found.find((item) => item === document.activeElement) ?? found.find(isCurrent) ?? found[0];
    for (const item of found) item.tabIndex = item === stop ? 0 : -1;
  };
  // Items come and go.
  useLayoutEffect(setStop);
  return {
    ref,
    onFocusIn: setStop,
    onKeyDown: (event) => {
      const found = all();
      const to = targetOf(event.key, found.indexOf(document.activeElement as HTMLElement), found.length);
      if (to === undefined) return;
      event.preventDefault();
      found[to]?.focus();
    },
  };
}

const isCurrent = (item: HTMLElement): boolean =>
  item.matches('[aria-current]:not([aria-current=false]), [aria-pressed=true]');

/** Where a key leads. Nowhere if the focus is not on an item, such as in a menu that one has opened. */
function targetOf(key: string, at: number, count: number): number | undefined {
  if (at === -1) return undefined;
  switch (key) {
    case 'ArrowDown':
    case 'ArrowRight':
      return Math.min(at + 1, count - 1);
    case 'ArrowUp':
    case 'ArrowLeft':
      return Math.max(at - 1, 0);
    case 'Home':
      return 0;
    case 'End':
      return count - 1;
    default:
      return undefined;
  }
}
