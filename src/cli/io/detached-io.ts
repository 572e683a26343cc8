/** What a process without streams has of the world outside. No user can be asked there. */
import type { Io } from './io.ts';
import { noPrompts } from './prompts.ts';

const unavailable = async (): Promise<never> => {
  throw new Error('This process has no standard streams.');
};

/** `own` is what it has after all. */
export const detachedIo = (own: Pick<Io, 'env' | 'cwd' | 'now' | 'err' | 'signal' | 'readInput'>): Io => ({
  ...own,
  out() {},
  reserveOutput() {},
  isTerminal: false,
  canAsk: false,
  prompts: noPrompts,
  columns: 80,
  hasColor: false,
  catchInterrupts: () => () => {},
  after: () => () => {},
  readLine: async () => undefined,
  startKeeper: unavailable,
  openStdio: unavailable,
});
