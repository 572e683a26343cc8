/** What keys act on: the palette, and the form that is open. */
import { signal } from '@preact/signals';

export const isPaletteOpen = signal(false);

/** Runs the form that is open. The pane with the form sets it. */
export const runShown = signal<(() => void) | undefined>(undefined);

const isMac = /Mac|iP(?:hone|ad)/.test(globalThis.navigator?.platform ?? '');

/** A key with Ctrl, as this machine writes it. */
export const shownKeys = (key: string): string => (isMac ? `⌘${key}` : `Ctrl ${key}`);
