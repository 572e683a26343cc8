/** Random tests: which seed a property has, and the command that repeats one that failed. */
import { relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import * as fc from 'fast-check';
import { expect } from 'vitest';
import { isLong } from './long.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));

/** The seed of properties that choose none: new ones in `npm run test:long`. */
const seedOf = (given: string | undefined): number =>
  Number(given ?? (isLong ? Math.floor(Math.random() * 2 ** 31) : 7));

/** Runs the test that is running now once more, from the same seed; `named` if another one does that. */
export function repeatCommand(variable: 'TENON_SEED' | 'CHAOS_SEED', seed: number, named?: string): string {
  const { testPath = '', currentTestName = '' } = expect.getState();
  const tier = process.env.TENON_TIER === undefined ? '' : `TENON_TIER=${process.env.TENON_TIER} `;
  const pattern = named ?? currentTestName.split(' > ').at(-1) ?? '';
  return `${tier}${variable}=${seed} npx vitest run ${relative(root, testPath)} -t ${quoted(asPattern(pattern))}`;
}

/** As a regular expression that matches the text. */
const asPattern = (text: string): string => text.replaceAll(/[\\^$.*+?()[\]{}|]/g, String.raw`\$&`);

/** As one argument of a shell. */
const quoted = (text: string): string => `'${text.replaceAll("'", String.raw`'\''`)}'`;

/** A property that fails throws the command that repeats it, with the report of fast-check. */
export function configureProperties(): void {
  fc.configureGlobal({
    seed: seedOf(process.env.TENON_SEED),
    reporter(details) {
      if (!details.failed) return;
      const text = `${repeatCommand('TENON_SEED', details.seed)}\n${fc.defaultReportMessage(details)}`;
      throw new Error(text, { cause: details.errorInstance });
    },
  });
}
