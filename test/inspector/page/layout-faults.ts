/** Finds what is wrong with the layout of a page: what is wider than the screen, what overlaps, and headings that are cut. */
import { readFileSync } from 'node:fs';
import type { Page } from 'playwright-core';

/** Elements that are meant to lie above others. */
const above =
  '.rail .count, .menu-list, .completion ul, dialog, .lost, .captures-error, .unseen, .json-editor, .edge, .segments, progress';

const script = readFileSync(new URL('layout-faults-in-page.js', import.meta.url), 'utf8');

export const layoutFaults = (page: Page): Promise<string[]> =>
  page.evaluate<string[]>(`${script}\nfaultsIn(${JSON.stringify(above)})`);
