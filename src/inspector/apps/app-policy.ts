/** The content policy of an app: nothing but inline code, and the origins that it declares. */
import { isIP } from 'node:net';
import { specialNetworkOf } from '../../input-safety/urls/public-addresses.ts';
import { isRecord } from '../../lib/values/is.ts';
import type { AppPolicy } from '../api/apps.ts';

/** An origin, with a wildcard for subdomains or without: nothing that could add to the policy. */
const origin = /^(?:https?|wss?):\/\/(?:\*\.)?[a-z\d](?:[a-z\d.-]*[a-z\d])?(?::\d{1,5})?\/?$/i;

/**
 * Origins of one kind that an app declares.
 * @limit inspector
 * @beyond the rest is blocked
 */
const maxOrigins = 50;

const kinds = ['connectDomains', 'resourceDomains', 'frameDomains', 'baseUriDomains'] as const;

/** What an app declares, without what is no origin. */
export function readAppPolicy(csp: unknown): AppPolicy {
  if (!isRecord(csp)) return {};
  return Object.fromEntries(
    kinds.flatMap((kind) => {
      const sources = csp[kind];
      const valid = Array.isArray(sources) ? sources.filter((one) => typeof one === 'string' && origin.test(one)) : [];
      return valid.length === 0 ? [] : [[kind, valid.slice(0, maxOrigins)]];
    }),
  );
}

/**
 * The header `Connection-Allowlist`: the same origins, for what a content policy does not cover. WebRTC, prefetching, and
 * connections for frames that are refused would all go to other machines. Browsers without it ignore it.
 */
export function appConnections(policy: AppPolicy): string {
  const origins = Object.values(policy as Readonly<Record<string, readonly string[]>>).flat();
  // A socket is declared by the scheme of its page as well.
  const both = origins.flatMap((one) => [one, one.replace(/^http/i, 'ws')]);
  const patterns = [...new Set(both)].map((one) => ` "${one.replace(/\/$/, '')}/*"`);
  return `(response-origin${patterns.join('')})`;
}

/** Also in force in the inner frame, which inherits it. `page` is the origin of the inspector. */
export function appPolicy(policy: AppPolicy, page: string): string {
  const { connectDomains = [], resourceDomains = [], frameDomains = [], baseUriDomains = [] } = policy;
  const resources = resourceDomains.map((one) => ` ${one}`).join('');
  const orNone = (origins: readonly string[]): string => (origins.length === 0 ? "'none'" : origins.join(' '));
  return [
    "default-src 'none'",
    `script-src 'self' 'unsafe-inline'${resources}`,
    `style-src 'self' 'unsafe-inline'${resources}`,
    `img-src 'self' data: blob:${resources}`,
    `media-src 'self' data: blob:${resources}`,
    `font-src 'self' data:${resources}`,
    `connect-src ${orNone(connectDomains)}`,
    `frame-src ${orNone(frameDomains)}`,
    `base-uri ${orNone(baseUriDomains)}`,
    "object-src 'none'",
    "form-action 'none'",
    `frame-ancestors ${page}`,
  ].join('; ');
}

/** Names that only a private network has: without a dot, or below a name that is reserved for it. */
const privateName = /^[^.]+$|(?:^|\.)(?:localhost|local|internal|lan|home|corp|intranet|home\.arpa)$/i;

/** The parser writes every spelling of an IPv4 address as the usual one. */
function isPrivate(origin: string): boolean {
  const { hostname } = new URL(origin.replace('//*.', '//').replace(/^ws/i, 'http'));
  const host = hostname.replace(/\.$/, '');
  return isIP(host) === 0 ? privateName.test(host) : specialNetworkOf(host) !== undefined;
}

/** What is in force, without private origins that the user has not allowed; and those. */
export function withoutPrivate(
  declared: AppPolicy,
  allowed: readonly string[],
): { readonly csp: AppPolicy; readonly refused: readonly string[] } {
  const refused = new Set<string>();
  const entries = Object.entries(declared as Readonly<Record<string, readonly string[]>>).map(([kind, origins]) => {
    const left = origins.filter((origin) => allowed.includes(origin) || !isPrivate(origin) || !refused.add(origin));
    return [kind, left] as const;
  });
  return { csp: Object.fromEntries(entries.filter(([, origins]) => origins.length > 0)), refused: [...refused] };
}
