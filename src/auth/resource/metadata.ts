/** The metadata of a protected resource (RFC 9728): which authorization servers it trusts, and where clients find it. */
import type { PublicDocument } from '../../server/ports/authenticate.ts';
import type { DpopMode } from './dpop/options.ts';
import type { IssuerOptions } from './options.ts';
import type { ProtectSettings } from './settings.ts';
import { proofAlgorithms } from './tokens/algorithms.ts';

const wellKnown = '/.well-known/oauth-protected-resource';

/** The well-known path is inserted between the host and the path of the resource. */
export function metadataUrl(resource: string): string {
  const { origin, pathname, search } = new URL(resource);
  return `${origin}${wellKnown}${pathname === '/' ? '' : pathname}${search}`;
}

/** It is served at the root as well, for clients that look only there. */
export function metadataDocument(
  options: Pick<ProtectSettings, 'resource' | 'scopes' | 'scopesSupported' | 'resourceName'>,
  issuers: readonly IssuerOptions[],
  dpop: DpopMode | undefined,
): PublicDocument {
  const { resource, scopes, scopesSupported = scopes, resourceName } = options;
  return {
    paths: [...new Set([new URL(metadataUrl(resource)).pathname, wellKnown])],
    content: {
      resource,
      authorization_servers: issuers.map(({ issuer }) => issuer),
      ...(scopesSupported.length > 0 && { scopes_supported: scopesSupported }),
      bearer_methods_supported: ['header'],
      ...(dpop !== undefined && { dpop_signing_alg_values_supported: proofAlgorithms }),
      ...(dpop === 'required' && { dpop_bound_access_tokens_required: true }),
      ...(resourceName !== undefined && { resource_name: resourceName }),
    },
  };
}
