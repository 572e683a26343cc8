/** The members of an upstream in the file of `tenon gateway`: those that only the file has, with their rules. */
import { isTexts, type Rule } from '../../lib/options/option-rules.ts';
import { parseUrl } from '../../lib/text/parse-url.ts';
import { isFilledString, isRecord } from '../../lib/values/is.ts';
import type { OperationFilter } from '../../openapi/operations/select.ts';
import type { UpstreamOptions } from '../types.ts';

/** An upstream in a file: exactly one of `command`, `url` and `openapi`. */
export interface FileUpstream extends Omit<UpstreamOptions, 'auth' | 'server'>, FileOnly {}

/**
 * What an upstream has in a file only, besides the options of an upstream of `createGateway()`.
 * @area gateway
 * @of `tenon gateway`
 */
export interface FileOnly {
  /**
   * An OpenAPI document whose operations are the tools: a path or a URL.
   * @default off
   */
  readonly openapi?: string;
  /**
   * The URL that all requests to the API begin with. For `openapi`.
   * @default computed the first server of the document
   * @rule httpAddress
   */
  readonly baseUrl?: string;
  /**
   * The operations that become tools. For `openapi`.
   * @default computed all
   * @rule filterList
   */
  readonly include?: readonly OperationFilter[];
  /**
   * Operations that do not, though `include` matches them. For `openapi`.
   * @default off
   * @rule filterList
   */
  readonly exclude?: readonly OperationFilter[];
  /**
   * Networks that are not public and that requests may lead to, such as `10.1.0.0/16`. For `openapi`.
   * @default off, none
   */
  readonly allowedNetworks?: readonly string[];
  /**
   * The credentials of the requests to `url`, or to the API.
   * @default off
   * @rule authSection
   */
  readonly auth?: FileAuth;
  /**
   * The transport, as hosts write it: `stdio` for a command; `http` or `streamable-http` for a URL, where `sse` is
   * accepted and detected.
   * @default computed what the server has
   * @rule transportType
   */
  readonly type?: string;
  /**
   * Whether it is left out.
   * @default false
   */
  readonly disabled?: boolean;
}

/** A section `auth`: its type, and the members of that type. Secrets are named, never written. */
export interface FileAuth extends Readonly<Record<string, unknown>> {
  readonly type: string;
}

export const httpAddress: Rule = {
  holds: (value) => typeof value === 'string' && /^https?:$/.test(parseUrl(value)?.protocol ?? ''),
  must: 'be a URL in full, such as https://api.example.com',
};

const transportTypes = ['stdio', 'http', 'streamable-http', 'sse'] as const;

export const transportType: Rule = {
  holds: (value) => (transportTypes as readonly unknown[]).includes(value),
  must: `be ${transportTypes.join(', ')}`,
};

/** The types of a section `auth`, each with its members. */
export const authTypes: Readonly<Record<string, Readonly<Record<string, Rule>>>> = {
  'api-key': {
    secret: { holds: isFilledString, must: 'be the name of a secret in secretsFile', isRequired: true },
    header: {
      holds: (value) => typeof value === 'string' && /^[!#$%&'*+.^_`|~\w-]+$/.test(value),
      must: 'be the name of a header, such as x-api-key',
    },
  },
  bearer: {
    secret: { holds: isFilledString, must: 'be the name of a secret in secretsFile' },
    file: { holds: isFilledString, must: 'be the path of a file with a token, which the platform may replace' },
  },
  'client-credentials': {
    issuer: { ...httpAddress, must: 'be the URL of the authorization server', isRequired: true },
    clientId: { holds: isFilledString, must: 'be the ID of the client that is registered there', isRequired: true },
    secret: { holds: isFilledString, must: 'be the name of a secret in secretsFile', isRequired: true },
    scopes: { holds: isTexts, must: 'be a list of scopes' },
  },
  oauth: {
    scopes: { holds: isTexts, must: 'be a list of scopes' },
    clientId: { holds: isFilledString, must: 'be the ID of the client that is registered at its authorization server' },
    issuer: { ...httpAddress, must: 'be the URL of its authorization server' },
    secret: { holds: isFilledString, must: 'be the name of a secret in secretsFile' },
  },
  'token-exchange': {
    clientId: {
      holds: isFilledString,
      must: 'be the ID of the client that is registered at the issuer',
      isRequired: true,
    },
    secret: { holds: isFilledString, must: 'be the name of a secret in secretsFile', isRequired: true },
    issuer: { ...httpAddress, must: 'be the issuer of the callers, one of protect' },
    audience: { holds: isFilledString, must: 'be the name of the upstream at the issuer' },
    scopes: { holds: isTexts, must: 'be a list of scopes' },
  },
};

/** The types of a section `auth` whose credentials are those of one user. */
export const typesOfUsers: ReadonlySet<unknown> = new Set(['oauth', 'token-exchange']);

export const authSection: Rule = {
  holds: (value) => isRecord(value) && typeof value.type === 'string' && Object.hasOwn(authTypes, value.type),
  must: `be an object with a type: ${Object.keys(authTypes).join(', ')}`,
};

/** The options of an upstream of `createGateway()`, which checks their values. `server` has no form in a file. */
const ofUpstreams = {
  command: true,
  args: true,
  env: true,
  cwd: true,
  url: true,
  headers: true,
  auth: true,
  share: true,
  prefix: true,
  expose: true,
  hide: true,
  rename: true,
  required: true,
  protocolVersions: true,
  limits: true,
} satisfies Record<Exclude<keyof UpstreamOptions, 'server'>, true>;

/** All that an upstream in a file may have, besides `fileOnly`. */
export const upstreamMembers: readonly string[] = Object.keys(ofUpstreams);
