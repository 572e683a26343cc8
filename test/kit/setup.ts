/** Runs before every test file: waits end by events, and a bound only has to be longer than a busy machine takes. */
import { vi } from 'vitest';

const patienceMs = 60_000;

const { waitFor } = vi;

// Files share this module where they share a process: what is replaced already stays.
if (waitFor.name !== 'waitPatiently') {
  vi.waitFor = function waitPatiently(callback, options) {
    const given = typeof options === 'number' ? { timeout: options } : options;
    return waitFor(callback, { ...given, timeout: Math.max(given?.timeout ?? 0, patienceMs) });
  };
}
