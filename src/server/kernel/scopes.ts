/** Refuses calls whose credentials lack the scopes of the definitions that they concern. */
import type { RpcError } from '../../jsonrpc/errors.ts';
import type { Principal } from '../../ports/principal.ts';
import { rpcError } from '../../protocol/errors.ts';
import type { Incoming } from '../../protocol/neutral.ts';
import type { Registry } from '../registry/registry.ts';
import { calledDefinitions } from './called-definitions.ts';

/**
 * The error for calls of one request that lack scopes; `undefined` if they may run. Their scopes are named together, so
 * that the client asks for them once.
 */
export function scopeRefusal(
  registry: Registry,
  calls: readonly Incoming[],
  principal: Principal | undefined,
): RpcError | undefined {
  const needed = new Set(calls.flatMap((call) => scopesOf(registry, call)));
  if (needed.size === 0) return undefined;
  const scope = [...needed].join(' ');
  if (principal === undefined) return rpcError('unauthorized', 'This needs authentication', { scope });
  const granted = new Set(principal.scopes);
  const missing = [...needed].filter((one) => !granted.has(one));
  if (missing.length === 0) return undefined;
  // With the scopes that the client has: the next token may replace the one that it has.
  const all = [...granted].filter((one) => one !== 'offline_access').concat(missing);
  return rpcError('insufficient-scope', `This needs more scopes: ${missing.join(' ')}`, { scope: all.join(' ') });
}

/** A client that has lost the scopes may still end its subscription. */
const scopesOf = (registry: Registry, call: Incoming): readonly string[] =>
  call.method === 'resources/unsubscribe'
    ? []
    : calledDefinitions(registry, call).flatMap(({ scopes }) => scopes ?? []);
