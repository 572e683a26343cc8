/** What a grant does when its first request is refused: one change, for authorization servers that contradict the specification. */
import type { TokenEndpointAuthMethod } from '../registration/client.ts';
import { nextQuirk, type OAuthRefusal, quirkText, storeQuirks } from '../tokens/quirks.ts';
import type { GrantContext } from './grant.ts';

/** Whether one change may make the server accept the request. It is made from now on. */
export async function adapted(
  { endpoint, scopes, steps, store, server }: GrantContext,
  refusal: OAuthRefusal,
  otherMethods: readonly TokenEndpointAuthMethod[] = [],
): Promise<boolean> {
  const before = endpoint.quirks;
  const quirks = nextQuirk(refusal, { quirks: before, isRefresh: false, scopes, otherMethods });
  if (quirks === undefined) return false;
  endpoint.quirks = quirks;
  await storeQuirks(store, server.issuer, quirks);
  const found = `It answered ${refusal.error}: ${quirkText(before, quirks)} from now on.`;
  steps.add({
    step: 'quirk',
    url: server.issuer,
    found,
    rule: 'One change after the error that it is known to fix, remembered for 30 days',
    next: 'ask again',
  });
  return true;
}
