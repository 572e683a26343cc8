/** How much one session may store: the client's information and capabilities, and the subscribed URIs. */
import type { RpcError } from '../../jsonrpc/errors.ts';
import type { Fields } from '../../lib/values/is.ts';
import { rpcError } from '../../protocol/errors.ts';
import type { SessionUpdate } from '../ports/link.ts';

/**
 * Characters of `clientInfo` and `capabilities` of a session.
 * @limit server
 * @beyond the handshake is rejected
 * @code invalid-params
 */
const maxIntroduction = 64 * 1024;

/**
 * Resources that a session subscribes to.
 * @limit server
 * @beyond the subscription is rejected
 * @code overloaded
 */
const maxWatched = 10_000;

/**
 * Characters of the URIs that a session subscribes to.
 * @limit server
 * @beyond the subscription is rejected
 * @code overloaded
 */
const maxWatchedCharacters = 512 * 1024;

/** The client's information and capabilities are stored until the session ends. */
export function introductionProblem(params: Fields): RpcError | undefined {
  const length = introductionLength(params);
  if (length <= maxIntroduction) return undefined;
  const text = `clientInfo and capabilities have ${length} characters; a session stores at most ${maxIntroduction}`;
  return rpcError('invalid-params', text);
}

const introductionLength = ({ clientInfo, capabilities }: Fields): number =>
  JSON.stringify([clientInfo, capabilities]).length;

/** The approximate memory of an introduction: small objects take more than their text. */
export const introductionBytes = (params: Fields): number => introductionLength(params) * 8;

/** The approximate memory of a subscription besides its URI. */
const watchOverhead = 200;

/** How much more a session holds after an update; less than 0 if it ends a subscription. */
export function bytesOf(update: SessionUpdate, watched: ReadonlySet<string> | undefined): number {
  if (update.kind !== 'watch' && update.kind !== 'unwatch') return 0;
  const isWatched = watched?.has(update.uri) === true;
  if (isWatched === (update.kind === 'watch')) return 0;
  return (isWatched ? -1 : 1) * (update.uri.length + watchOverhead);
}

/** Why a session cannot subscribe to one more resource, if it cannot. */
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
