/** A test that needs a real part of the machine, such as a browser: without it the test is skipped, and in CI it fails. */
import type { TestContext } from 'vitest';

const isCi = !['', 'false', undefined].includes(process.env.CI);

/** `missing` is why the part is not there; `undefined` where it is. */
export function requires(context: TestContext, missing: string | undefined): void {
  if (missing === undefined) return;
  if (isCi) throw new Error(`In CI this must not be missing: ${missing}`);
  context.skip(missing);
}
