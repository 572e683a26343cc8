/** What each error that crosses the wire means, for pages and people. Nothing that serves or connects needs it. */
import { defaultNumbers, errorStatus, type WireErrorName } from './errors.ts';

interface WireError {
  /** The number, unless the revision or a chosen table has its own. */
  readonly code: number;
  /** The HTTP status where the error is the whole answer to a POST. */
  readonly status: number;
  readonly meaning: string;
  readonly retry: boolean;
}

/** A meaning, and whether trying again can help. */
const meanings: Readonly<Record<WireErrorName, readonly [meaning: string, retry?: 'retry']>> = {
  'parse-error': ['The text is not JSON.'],
  'invalid-request': ['The message is not a valid request.'],
  'method-not-found': ['The method is unknown, or stands behind a capability that was not declared.'],
  'invalid-params': ['The parameters do not have the shape the method asks for.'],
  'internal-error': ['The handler failed. What happened is in the log of the side that failed.', 'retry'],
  'resource-not-found': ['There is no resource at this URI.'],
  'resource-not-readable': ['The resource cannot be read.', 'retry'],
  'invalid-resource-uri': ['The URI is not a valid one.'],
  'tool-not-found': ['There is no tool of this name.'],
  'invalid-tool-arguments': ['The arguments do not fit the tool.'],
  'tool-execution-failed': ['The tool ran and failed.', 'retry'],
  'prompt-not-found': ['There is no prompt of this name.'],
  'capability-not-supported': ['The other side did not declare this capability.'],
  'sampling-not-supported': ['This side cannot sample a model.'],
  'user-rejected': ['The user said no.'],
  'url-elicitation-required': ['The user has to open a URL before this call can be made.', 'retry'],
  'header-mismatch': ['A header is missing, malformed, or differs from the body.'],
  'missing-client-capability': ['The request needs a capability that the client did not declare.'],
  'unsupported-revision': ['The server does not speak this revision of the protocol.'],
  'permission-denied': ['The caller may not do this.'],
  timeout: ['The work took longer than it was allowed to.', 'retry'],
  'rate-limited': ['The caller has called too often.', 'retry'],
  overloaded: ['The server has too much to do.', 'retry'],
  'server-error': ['The server failed without saying how.', 'retry'],
  'connection-error': ['A connection behind the server failed.', 'retry'],
};

export const wireErrors = /* @__PURE__ */ Object.fromEntries(
  (Object.keys(meanings) as WireErrorName[]).map((name): [WireErrorName, WireError] => {
    const [meaning, retry] = meanings[name];
    return [name, { code: defaultNumbers[name], status: errorStatus(name), meaning, retry: retry !== undefined }];
  }),
) as Readonly<Record<WireErrorName, WireError>>;
