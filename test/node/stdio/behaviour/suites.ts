/** Loads the behaviour suite of the kernel, unchanged, into the calling test file. */
import { readdirSync } from 'node:fs';

const folder = new URL('../../../scenarios/behaviour/', import.meta.url);

export async function loadBehaviour(): Promise<void> {
  const suites = readdirSync(folder).filter((name) => name.endsWith('.test.ts'));
  for (const name of suites) await import(new URL(name, folder).href);
}
