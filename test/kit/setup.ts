/** Runs before every test file: gives `vi.waitFor` a timeout that is long enough for a busy machine. */
import { vi } from 'vitest';

const patienceMs = 60_000;

const { waitFor } = vi;

// Test files in one process share this module: replace `waitFor` only once.
if (waitFor.name !== 'waitPatiently') {
  vi.waitFor = function waitPatiently(callback, options) {
    const given = typeof options === 'number' ? { timeout: options } : options;
    return waitFor(callback, { ...given, timeout: Math.max(given?.timeout ?? 0, patienceMs) });
  };
}
