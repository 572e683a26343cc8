/** The options of `openapiServer()`, and the limit of it that no option sets. */
import type { Rule } from '../lib/options/option-rules.ts';
import { isRecord } from '../lib/values/is.ts';
import type { ServerOptions } from '../server/options.ts';
import type { OpenApiAuth } from './calls/credentials.ts';
import type { NameOperation } from './operations/names.ts';
import type { OmittedOperation } from './operations/operation.ts';
import type { OperationFilter } from './operations/select.ts';

/**
 * Which API is called, with whose credentials, and which of its operations are tools.
 * @area OpenAPI
 */
export interface OpenApiOptions {
  /**
   * The URL that all requests begin with. No request leaves its origin.
   * @default computed the first server of the document
   */
  readonly baseUrl?: string;
  /**
   * The variables of the URL of a server, such as `{ region: 'eu' }`.
   * @default computed the defaults of the document
   * @rule textMembers
   */
  readonly variables?: Readonly<Record<string, string>>;
  /**
   * The credentials: by the name of a security scheme, a text or a function of the caller; or a function that returns
   * headers; or `bearerToken()`, `apiKey()` or `oauth()` of `tenon/auth`.
   * @default off, operations that need some are left out
   * @rule authRule
   */
  readonly auth?: OpenApiAuth;
  /**
   * Headers of every request, such as a version or a tenant. They replace parameters of the same name. Credentials belong
   * into `auth`, which keeps them out of results.
   * @default off
   * @rule textMembers
   */
  readonly headers?: Readonly<Record<string, string>>;
  /**
   * The operations that become tools: those that match one of these.
   * @default computed all
   * @rule filterList
   */
  readonly include?: readonly OperationFilter[];
  /**
   * Operations that do not, though `include` matches them.
   * @default off
   * @rule filterList
   */
  readonly exclude?: readonly OperationFilter[];
  /**
   * Returns the name of the tool of an operation.
   * @default computed the `operationId`, or the method and path
   */
  readonly name?: NameOperation;
  /**
   * Networks that are not public and that requests may lead to, such as `10.1.0.0/16`.
   * @default off, none
   */
  readonly allowedNetworks?: readonly string[];
  /**
   * Tools.
   * @default 128
   * @beyond the document is rejected, with its tags
   * @code invalid-openapi
   */
  readonly maxOperations?: number;
  /**
   * How long one request may take, to the last byte of the response.
   * @default 30 s
   * @whole
   * @beyond the model gets an error
   */
  readonly requestTimeoutMs?: number;
  /**
   * Bytes of a response after decompression.
   * @default 10 Mi
   * @beyond the model gets an error
   */
  readonly maxResponseBytes?: number;
  /**
   * Characters of a result, after Base64 where it is not text.
   * @default 1 Mi
   * @beyond text is cut, other content is an error
   */
  readonly maxResultChars?: number;
  /**
   * Called once for each operation that has no tool, with the reason.
   * @default off
   */
  readonly onOmitted?: (omitted: OmittedOperation) => void;
}

/** The options of `openapiServer()`: those of `createServer()`, and those of the API. */
export interface OpenApiServerOptions extends ServerOptions, OpenApiOptions {}

/**
 * Characters of the description of a tool.
 * @limit OpenApiOptions.maxDescriptionChars
 * @beyond the rest is left out
 */
export const maxDescriptionChars = 1000;

export const textMembers: Rule = {
  holds: (value) => isRecord(value) && Object.values(value).every((one) => typeof one === 'string'),
  must: 'be an object of strings',
};

export const authRule: Rule = {
  holds: (value) => typeof value === 'function' || isRecord(value),
  must: 'be an object by security scheme, a function, or the result of bearerToken(), apiKey() or oauth()',
};

const fields = new Set(['ids', 'tags', 'methods', 'paths']);
const isFilter = (value: unknown): boolean =>
  isRecord(value) &&
  Object.entries(value).every(
    ([name, one]) => fields.has(name) && Array.isArray(one) && one.every((text) => typeof text === 'string'),
  );

export const filterList: Rule = {
  holds: (value) => Array.isArray(value) && value.every(isFilter),
  must: "be a list such as [{ tags: ['pets'], methods: ['get'] }], with ids, tags, methods or paths",
};
