/** Skips a test that needs something of the machine, such as a browser, where that is missing. In CI the test fails. */
import type { TestContext } from 'vitest';

const isCi = !['', 'false', undefined].includes(process.env.CI);

/** `missing` is the reason to skip, or `undefined` where nothing is missing. */
export function requires(context: TestContext, missing: string | undefined): void {
  if (missing === undefined) return;
  if (isCi) throw new Error(`In CI this must not be missing: ${missing}`);
  context.skip(missing);
}
