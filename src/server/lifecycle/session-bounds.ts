/** How much one session may hold: what its client declares of itself, and the resources that it watches. */
import type { RpcError } from '../../jsonrpc/errors.ts';
import { rpcError } from '../../protocol/errors.ts';
import type { Fields } from '../../protocol/neutral.ts';

const maxIntroduction = 64 * 1024;
const maxWatched = 10_000;
const maxWatchedCharacters = 512 * 1024;

/** What a client declares in its handshake is held as long as the session lives. */
export function introductionProblem({ clientInfo, capabilities }: Fields): RpcError | undefined {
  const { length } = JSON.stringify([clientInfo, capabilities]);
  if (length <= maxIntroduction) return undefined;
  const text = `clientInfo and capabilities have ${length} characters; a session stores at most ${maxIntroduction}`;
  return rpcError('invalid-params', text);
}

/** Whether a session that watches some resources may watch one more. */
export function watchProblem(watched: ReadonlySet<string> | undefined, uri: string): RpcError | undefined {
  if (watched?.has(uri) === true) return undefined;
  if ((watched?.size ?? 0) >= maxWatched) return tooMany();
  let characters = uri.length;
  for (const { length } of watched ?? []) characters += length;
  return characters > maxWatchedCharacters ? tooLong() : undefined;
}

const tooMany = (): RpcError => rpcError('overloaded', `A session can subscribe to at most ${maxWatched} resources`);
const tooLong = (): RpcError =>
  rpcError(
    'overloaded',
    `The URIs of all subscriptions of a session can have at most ${maxWatchedCharacters} characters`,
  );
