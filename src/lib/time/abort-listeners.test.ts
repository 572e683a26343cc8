import { expect, test } from 'vitest';
import { listenForAbort, stopListening } from './abort-listeners.ts';

test('every listener is called once, in order, except those that were removed', () => {
  const called: string[] = [];
  const own = new AbortController();
  const listeners = ['a', 'b', 'c'].map((name) => () => void called.push(name));
  for (const run of listeners) listenForAbort(own.signal, run);
  stopListening(own.signal, listeners[1] as () => void);
  own.abort();
  own.signal.dispatchEvent(new Event('abort'));
  expect(called).toEqual(['a', 'c']);
});

test('a signal is listened to anew after all have stopped', () => {
  let called = 0;
  const own = new AbortController();
  const run = (): void => void (called += 1);
  listenForAbort(own.signal, run);
  stopListening(own.signal, run);
  stopListening(own.signal, run);
  listenForAbort(own.signal, run);
  own.abort();
  expect(called).toBe(1);
});
