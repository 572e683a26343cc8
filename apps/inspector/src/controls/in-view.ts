/** What is chosen is in view, whatever chose it. */
import type { RefObject } from 'preact';
import { useEffect, useRef } from 'preact/hooks';

export function useInView<Item extends HTMLElement>(isChosen: boolean): RefObject<Item | null> {
  const ref = useRef<Item>(null);
  useEffect(() => {
    if (isChosen) ref.current?.scrollIntoView({ block: 'nearest', inline: 'nearest' });
  }, [isChosen]);
  return ref;
}
