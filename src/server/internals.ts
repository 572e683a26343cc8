/** What stands behind a server, for transports that serve it in other ways than by channels. */
import { TenonError } from '../jsonrpc/errors.ts';
import type { Serving } from './kernel/serving.ts';
import type { Speaking } from './lifecycle/offered-revisions.ts';

export interface Insides {
  readonly serving: Serving;
  readonly speaking: Speaking;
  /** What is sealed with, where the author has said so. */
  readonly secrets: readonly string[] | undefined;
}

const known = new WeakMap<object, Insides>();

export const setInsides = (server: object, insides: Insides): void => void known.set(server, insides);

export function insidesOf(server: object): Insides {
  const insides = known.get(server);
  if (insides !== undefined) return insides;
  throw new TenonError('invalid-argument', 'What is to be served is no server.', {
    hint: 'Pass what createServer() gives.',
  });
}
