/** Loads the behaviour suite of the kernel, unchanged, into the calling test file. */
import { readdirSync } from 'node:fs';

const folder = new URL('../../../scenarios/behaviour/', import.meta.url);

/** A module is loaded once for each name. */
export async function loadBehaviour(name: string): Promise<void> {
  const suites = readdirSync(folder).filter((file) => file.endsWith('.test.ts'));
  for (const suite of suites) await import(new URL(`${suite}?${name}`, folder).href);
}
