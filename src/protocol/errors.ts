/** The errors that cross the wire, by name. A revision may give a name another number; everything else is here. */
import { RpcError, standardCodes } from '../jsonrpc/errors.ts';

interface WireError {
  /** The number, unless the revision or a chosen table has its own. */
  readonly code: number;
  /** The HTTP status where the error is the whole answer to a POST. */
  readonly status: number;
  readonly meaning: string;
  readonly retry: boolean;
}

export const wireErrors = {
  'parse-error': { code: standardCodes['parse-error'], status: 400, meaning: 'The text is not JSON.', retry: false },
  'invalid-request': {
    code: standardCodes['invalid-request'],
    status: 400,
    meaning: 'The message is not a valid request.',
    retry: false,
  },
  'method-not-found': {
    code: standardCodes['method-not-found'],
    status: 404,
    meaning: 'The method is unknown, or stands behind a capability that was not declared.',
    retry: false,
  },
  'invalid-params': {
    code: standardCodes['invalid-params'],
    status: 200,
    meaning: 'The parameters do not have the shape the method asks for.',
    retry: false,
  },
  'internal-error': {
    code: standardCodes['internal-error'],
    status: 200,
    meaning: 'The handler failed. What happened is in the log of the side that failed.',
    retry: true,
  },
  'resource-not-found': { code: -32602, status: 200, meaning: 'There is no resource at this URI.', retry: false },
  'resource-not-readable': { code: -32603, status: 200, meaning: 'The resource cannot be read.', retry: true },
  'invalid-resource-uri': { code: -32602, status: 200, meaning: 'The URI is not a valid one.', retry: false },
  'tool-not-found': { code: -32602, status: 200, meaning: 'There is no tool of this name.', retry: false },
  'invalid-tool-arguments': { code: -32602, status: 200, meaning: 'The arguments do not fit the tool.', retry: false },
  'tool-execution-failed': { code: -32603, status: 200, meaning: 'The tool ran and failed.', retry: true },
  'prompt-not-found': { code: -32602, status: 200, meaning: 'There is no prompt of this name.', retry: false },
  'capability-not-supported': {
    code: -32601,
    status: 404,
    meaning: 'The other side did not declare this capability.',
    retry: false,
  },
  'sampling-not-supported': { code: -32601, status: 404, meaning: 'This side cannot sample a model.', retry: false },
  'user-rejected': { code: -1, status: 200, meaning: 'The user said no.', retry: false },
  'url-elicitation-required': {
    code: -32602,
    status: 200,
    meaning: 'The user has to open a URL before this call can be made.',
    retry: true,
  },
  'header-mismatch': {
    code: -32020,
    status: 400,
    meaning: 'A header is missing, malformed, or differs from the body.',
    retry: false,
  },
  'missing-client-capability': {
    code: -32021,
    status: 400,
    meaning: 'The request needs a capability that the client did not declare.',
    retry: false,
  },
  'unsupported-revision': {
    code: -32022,
    status: 400,
    meaning: 'The server does not speak this revision of the protocol.',
    retry: false,
  },
  'permission-denied': { code: -31403, status: 403, meaning: 'The caller may not do this.', retry: false },
  timeout: { code: -31408, status: 200, meaning: 'The work took longer than it was allowed to.', retry: true },
  'rate-limited': { code: -31429, status: 429, meaning: 'The caller has called too often.', retry: true },
  overloaded: { code: -31503, status: 503, meaning: 'The server has too much to do.', retry: true },
  'server-error': { code: -32603, status: 200, meaning: 'The server failed without saying how.', retry: true },
  'connection-error': { code: -32603, status: 200, meaning: 'A connection behind the server failed.', retry: true },
} as const satisfies Record<string, WireError>;

export type WireErrorName = keyof typeof wireErrors;

/** Numbers that differ from the table's, for one revision or one peer. */
export type ErrorNumbers = Readonly<Partial<Record<WireErrorName, number>>>;

/** An error to throw from a handler: named here, numbered by the revision that carries it. */
export const rpcError = (reason: WireErrorName, message: string, data?: unknown, cause?: unknown): RpcError =>
  new RpcError(wireErrors[reason].code, message, data, reason, cause);

const isWireErrorName = (reason: string): reason is WireErrorName => Object.hasOwn(wireErrors, reason);

export const errorNumber = (numbers: ErrorNumbers, error: RpcError): number =>
  isWireErrorName(error.reason) ? (numbers[error.reason] ?? wireErrors[error.reason].code) : error.code;

/** Numbers with one meaning for all time: those of JSON-RPC, and retired ones that older servers still send. */
const fixedNames: ReadonlyMap<number, WireErrorName> = new Map([
  ...(Object.entries(standardCodes) as Array<[WireErrorName, number]>).map(([name, code]) => [code, name] as const),
  [-32002, 'resource-not-found'],
  [-32042, 'url-elicitation-required'],
]);

/** Numbers that only one name has. A number that several share tells no more than its standard meaning. */
const ownNames: ReadonlyMap<number, WireErrorName> = new Map(
  (Object.entries(wireErrors) as Array<[WireErrorName, WireError]>).map(([name, { code }]) => [code, name]),
);

/** The name of a number that a peer sent, or `unknown`; the number is kept beside it. */
export function errorName(numbers: ErrorNumbers, code: number): WireErrorName | 'unknown' {
  if (Object.values(standardCodes).includes(code as never)) return fixedNames.get(code) ?? 'unknown';
  for (const [name, number] of Object.entries(numbers)) if (number === code) return name as WireErrorName;
  return fixedNames.get(code) ?? ownNames.get(code) ?? 'unknown';
}
