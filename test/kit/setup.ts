/** Runs before every test file: waits are long enough for a busy machine, and failed properties name the command that repeats them. */
import { vi } from 'vitest';
import { configureProperties } from './repeat-command.ts';

configureProperties();

const patienceMs = 60_000;

const { waitFor, waitUntil } = vi;

interface WaitOptions {
  readonly timeout?: number;
  readonly interval?: number;
}

function patiently(options: number | WaitOptions | undefined): WaitOptions {
  const given = typeof options === 'number' ? { timeout: options } : options;
  return { ...given, timeout: Math.max(given?.timeout ?? 0, patienceMs) };
}

// Test files in one process share this module: replace them only once.
if (waitFor.name !== 'waitPatiently') {
  vi.waitFor = function waitPatiently(callback, options) {
    return waitFor(callback, patiently(options));
  };
  vi.waitUntil = (callback, options) => waitUntil(callback, patiently(options));
}
