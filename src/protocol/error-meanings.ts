/** The meaning of each JSON-RPC error, for documentation. Servers and clients do not load it. */
import { defaultNumbers, errorStatus, type RpcErrorReason } from './errors.ts';

interface WireError {
  /** The number, unless the revision or a chosen table has its own. */
  readonly code: number;
  /** The HTTP status where the error is the whole answer to a POST. */
  readonly status: number;
  readonly meaning: string;
  readonly retry: boolean;
}

/** A meaning, and whether trying again can help. */
const meanings: Readonly<Record<RpcErrorReason, readonly [meaning: string, retry?: 'retry']>> = {
  'parse-error': ['The text is not JSON.'],
  'invalid-request': ['The message is not a valid request.'],
  'method-not-found': ['The method is unknown, or needs a capability that was not declared.'],
  'invalid-params': ['The parameters are not valid for the method.'],
  'internal-error': ['The handler failed. The reason is in the log of the side that failed.', 'retry'],
  'resource-not-found': ['There is no resource at this URI.'],
  'resource-not-readable': ['The resource cannot be read.', 'retry'],
  'invalid-resource-uri': ['The URI is not valid.'],
  'tool-not-found': ['There is no tool of this name.'],
  'invalid-tool-arguments': ['The arguments are not valid for the tool.'],
  'tool-execution-failed': ['The tool ran and failed.', 'retry'],
  'prompt-not-found': ['There is no prompt of this name.'],
  'capability-not-supported': ['The other side did not declare this capability.'],
  'sampling-not-supported': ['Sampling is not supported.'],
  'user-rejected': ['The user rejected the request.'],
  'url-elicitation-required': ['The user must open a URL before this call can be made.', 'retry'],
  'header-mismatch': ['A header is missing, malformed, or differs from the body.'],
  'missing-client-capability': ['The request needs a capability that the client did not declare.'],
  'unsupported-protocol-version': ['The server does not support this protocol version.'],
  unauthorized: ['The request needs credentials, or better ones.'],
  'permission-denied': ['The caller is not allowed to do this.'],
  'insufficient-scope': ['The credentials of the request lack scopes. `data.scope` has those that it needs.'],
  timeout: ['The call took longer than its time limit.', 'retry'],
  'rate-limited': ['The caller made too many calls. `data.retryAfterMs` has the time to wait.', 'retry'],
  overloaded: ['The server is overloaded.', 'retry'],
  'audit-unavailable': ['The server cannot record the call, and runs nothing without its record.', 'retry'],
  'server-error': ['The server failed.', 'retry'],
  'connection-error': ['A connection behind the server failed.', 'retry'],
};

/** The reasons of JSON-RPC errors: for each its number and its meaning. */
export const rpcErrorReasons = /* @__PURE__ */ Object.fromEntries(
  (Object.keys(meanings) as RpcErrorReason[]).map((name): [RpcErrorReason, WireError] => {
    const [meaning, retry] = meanings[name];
    return [name, { code: defaultNumbers[name], status: errorStatus(name), meaning, retry: retry !== undefined }];
  }),
) as Readonly<Record<RpcErrorReason, WireError>>;
