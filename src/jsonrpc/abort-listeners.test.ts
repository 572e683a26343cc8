import { expect, test } from 'vitest';
import { listenForAbort, stopListening } from './abort-listeners.ts';

test('everyone who listens hears once, in order, but for those who stopped', () => {
  const heard: string[] = [];
  const own = new AbortController();
  const listeners = ['a', 'b', 'c'].map((name) => () => void heard.push(name));
  for (const run of listeners) listenForAbort(own.signal, run);
  stopListening(own.signal, listeners[1] as () => void);
  own.abort();
  own.signal.dispatchEvent(new Event('abort'));
  expect(heard).toEqual(['a', 'c']);
});

test('a signal is listened to anew after all have stopped', () => {
  let heard = 0;
  const own = new AbortController();
  const run = (): void => void (heard += 1);
  listenForAbort(own.signal, run);
  stopListening(own.signal, run);
  stopListening(own.signal, run);
  listenForAbort(own.signal, run);
  own.abort();
  expect(heard).toBe(1);
});
