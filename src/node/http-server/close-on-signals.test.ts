import { afterEach, expect, it, vi } from 'vitest';
import { closeOnSignals } from './close-on-signals.ts';

afterEach(() => void vi.restoreAllMocks());

it.each([
  ['has closed', () => Promise.resolve(), 0],
  ['could not close', () => Promise.reject(new Error('stuck')), 1],
])('a process that %s when it was told to go ends, and its status says which', async (_how, close, status) => {
  const exit = vi.spyOn(process, 'exit').mockImplementation(() => undefined as never);
  const notified = vi.spyOn(console, 'error').mockImplementation(() => {});
  const before = process.listeners('SIGTERM');
  const stop = closeOnSignals(close);
  const receive = process.listeners('SIGTERM').find((listener) => !before.includes(listener));
  receive?.call(process, ...(['SIGTERM', 15] as unknown as ['SIGTERM']));
  await vi.waitFor(() => expect(exit).toHaveBeenCalledWith(status));
  expect(notified).toHaveBeenCalledTimes(status);
  stop();
  expect(process.listeners('SIGTERM')).toEqual(before);
});
