/** The members of the file of `tenon gateway`, with their rules. */

import { isSecureUrl } from '../../auth/secure-url.ts';
import { guardLimits } from '../../guard/limits/options.table.ts';
import type { GuardLimits } from '../../guard/limits/options.ts';
import { group, isTexts, type Rule } from '../../lib/options/option-rules.ts';
import { parseUrl } from '../../lib/text/parse-url.ts';
import { isFilledString, isRecord } from '../../lib/values/is.ts';
import { trustedProxies } from '../../server/http/admission/admission-rules.ts';
import type { SearchOptions } from '../options.ts';
import type { FileUpstream } from './upstream-options.ts';

/**
 * Who may use the gateway: callers with an access token of an issuer, with an API key, or either.
 * @area gateway
 * @of `tenon gateway`
 */
export interface FileProtect {
  /**
   * The authorization server whose tokens are accepted.
   * @default off
   * @rule fileIssuer
   */
  readonly issuer?: string;
  /**
   * Several of them, instead of `issuer`.
   * @default off
   * @rule fileIssuers
   */
  readonly issuers?: readonly string[];
  /**
   * Values of `aud` that are accepted instead of `publicUrl`.
   * @default computed `publicUrl`
   */
  readonly audiences?: readonly string[];
  /**
   * The scopes that every request needs.
   * @default computed none
   */
  readonly scopes?: readonly string[];
  /**
   * Scopes that include others: `{ 'files:write': ['files:read'] }`.
   * @default off
   * @rule fileImpliedScopes
   */
  readonly impliedScopes?: Readonly<Record<string, readonly string[]>>;
  /**
   * The claim with the roles of the subject.
   * @default computed `roles`
   */
  readonly rolesClaim?: string;
  /**
   * The claims that a policy reads.
   * @default off
   */
  readonly claims?: readonly string[];
  /**
   * API keys, each with its hash and its subject, as `generateApiKey()` of `tenon/auth` makes them.
   * @default off
   * @rule fileApiKeys
   */
  readonly apiKeys?: readonly Readonly<Record<string, unknown>>[];
}

/**
 * Where users connect accounts of their own at upstreams with `auth: { type: oauth }`: the page `connect` beside the endpoint. They
 * sign in there at the issuer of their access tokens.
 * @area gateway
 * @of `tenon gateway`
 */
export interface FileConnect {
  /**
   * The client that is registered at the issuer, with the redirect URI `…/connect/signed-in`.
   */
  readonly clientId: string;
  /** The name of its secret in `secretsFile`. */
  readonly secret: string;
  /**
   * The issuer, if `protect` has several.
   * @default computed `protect.issuer`
   * @rule fileIssuer
   */
  readonly issuer?: string;
}

/**
 * The file of `tenon gateway`. Paths are relative to its folder.
 * @area gateway
 * @of `tenon gateway`
 */
export interface GatewayFile {
  /**
   * Where it listens: a port of this machine, or an address and a port such as `0.0.0.0:3000`. Beyond this machine it
   * needs `protect`.
   * @default computed `127.0.0.1:3000`
   * @rule listenAt
   */
  readonly listen?: number | string;
  /**
   * Its URL as callers know it, such as `https://mcp.example.com/mcp`.
   * @default computed `/mcp` at the address of `listen`
   * @rule publicAddress
   */
  readonly publicUrl?: string;
  /**
   * The addresses of proxies in front of it, such as `10.0.0.0/8`, whose headers name the address of the caller.
   * @default off
   * @rule proxyAddresses
   */
  readonly trustedProxies?: readonly string[];
  /**
   * Who may use it.
   * @default off, everyone on this machine
   */
  readonly protect?: FileProtect;
  /**
   * The URL of the store of sessions and waiting calls, such as `sqlite:./gateway.db`.
   * @default computed memory of this process
   */
  readonly store?: string;
  /**
   * The file with secrets by their names. Only its owner may read it.
   * @default off
   */
  readonly secretsFile?: string;
  /**
   * The names of secrets of 32 characters or more that seal sessions and waiting calls and encrypt private values of the
   * store. The first one seals, the others still open.
   * @default computed a random one of this process
   */
  readonly secrets?: readonly string[];
  /**
   * The file of the policy, which is reloaded when it changes. Tools have the names of the gateway, such as `github__*`.
   * @default off, every caller may use everything
   */
  readonly policy?: string;
  /**
   * The folder of the audit log.
   * @default off
   */
  readonly audit?: string;
  /**
   * The file of approved definitions, as `tenon gateway --approve` writes it. What was not approved is neither shown nor called.
   * @default off, everything of the upstreams is used
   */
  readonly lock?: string;
  /**
   * How often callers may call.
   * @default off
   * @rule fileLimits
   */
  readonly limits?: Omit<GuardLimits, 'store'>;
  /**
   * Whether callers find tools by `find_tools` and call them by `call_tool`, instead of a list of all.
   * @default false
   */
  readonly search?: boolean | SearchOptions;
  /**
   * Whether calls are traced and measured by OpenTelemetry, as the process has registered it.
   * @default false
   */
  readonly telemetry?: boolean;
  /**
   * Where `/healthz`, `/readyz` and `/metrics` are served: a port of this machine, or an address and a port.
   * @default off
   * @rule listenAt
   */
  readonly admin?: number | string;
  /**
   * Where users connect accounts of their own at upstreams.
   * @default off
   */
  readonly connect?: FileConnect;
  /**
   * The variables of the environment that `${NAME}` may stand for in this file.
   * @default computed none
   */
  readonly allowedVariables?: readonly string[];
  /**
   * The servers behind it, by their names.
   * @default computed `mcpServers`
   * @rule fileUpstreams
   */
  readonly upstreams?: Readonly<Record<string, FileUpstream>>;
  /**
   * The same as hosts write it, instead of `upstreams`.
   * @default off
   * @rule fileUpstreams
   */
  readonly mcpServers?: Readonly<Record<string, FileUpstream>>;
}

/** An address to listen at. */
export interface ListenAddress {
  readonly host: string;
  readonly port: number;
}

/** Reads a port, or an address and a port; `undefined` for anything else. */
export function readAddress(value: unknown): ListenAddress | undefined {
  if (typeof value === 'number') return isPort(value) ? { host: '127.0.0.1', port: value } : undefined;
  const [, bracketed, host = bracketed, port] =
    (typeof value === 'string' && /^(?:\[([\da-f:.]+)\]|([^\s:/[\]]+)):(\d{1,5})$/i.exec(value)) || [];
  return host !== undefined && isPort(Number(port)) ? { host, port: Number(port) } : undefined;
}

const isPort = (value: number): boolean => Number.isInteger(value) && value >= 0 && value <= 65_535;

export const listenAt: Rule = {
  holds: (value) => readAddress(value) !== undefined,
  must: 'be a port such as 3000, or an address and a port such as 0.0.0.0:3000',
};

export const proxyAddresses: Rule = {
  ...trustedProxies,
  holds: (value) => isTexts(value) && trustedProxies.holds(value),
  must: 'be a list of addresses or networks such as [10.0.0.0/8]',
};

export const publicAddress: Rule = {
  holds: (value) => {
    const url = typeof value === 'string' ? parseUrl(value) : undefined;
    return url !== undefined && /^https?:$/.test(url.protocol) && url.search === '' && url.hash === '';
  },
  must: 'be the URL of the gateway, such as https://mcp.example.com/mcp, without a query',
};

/** Variables are expanded before: a URL is in full here. */
const isIssuer = (value: unknown): boolean => isSecureUrl(value) && !/[?#]/.test(value);

export const fileIssuer: Rule = {
  holds: isIssuer,
  must: 'be the https URL of an authorization server, exactly as its tokens have it in iss',
};

export const fileIssuers: Rule = {
  holds: (value) => Array.isArray(value) && value.length > 0 && value.every(isIssuer),
  must: 'be a list of URLs of authorization servers',
};

export const fileImpliedScopes: Rule = {
  holds: (value) => isRecord(value) && Object.values(value).every(isTexts),
  must: "be an object of lists of scopes, such as { 'files:write': ['files:read'] }",
};

export const fileApiKeys: Rule = {
  holds: (value) =>
    Array.isArray(value) &&
    value.length > 0 &&
    value.every((one) => isRecord(one) && ['id', 'hash', 'subject'].every((name) => isFilledString(one[name]))),
  must: 'be a list of { id, hash, subject }, as generateApiKey() makes them',
};

const { store: _store, ...limitsInFile } = guardLimits;

/** Those of a guard, without the store, which is that of the gateway. */
export const fileLimits: Rule = group(limitsInFile);

export const fileUpstreams: Rule = {
  holds: (value) => isRecord(value) && Object.keys(value).length > 0,
  must: 'be an object with at least one upstream, by its name',
};
