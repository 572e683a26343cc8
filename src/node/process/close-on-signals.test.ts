/** A signal closes the service and then exits the process. */
import { afterEach, expect, it, vi } from 'vitest';
import { closeOnSignals } from './close-on-signals.ts';

afterEach(() => void vi.restoreAllMocks());

it.each([
  ['has closed', () => Promise.resolve(), 0],
  ['could not close', () => Promise.reject(new Error('stuck')), 1],
])('a process that %s after a signal exits with the status for that', async (_how, close, status) => {
  const exit = vi.spyOn(process, 'exit').mockImplementation(() => undefined as never);
  const printed = vi.spyOn(console, 'error').mockImplementation(() => {});
  const before = process.listeners('SIGTERM');
  const stop = closeOnSignals(close);
  const onSignal = process.listeners('SIGTERM').find((listener) => !before.includes(listener));
  onSignal?.call(process, ...(['SIGTERM', 15] as unknown as ['SIGTERM']));
  await vi.waitFor(() => expect(exit).toHaveBeenCalledWith(status));
  expect(printed).toHaveBeenCalledTimes(status);
  stop();
  expect(process.listeners('SIGTERM')).toEqual(before);
});
