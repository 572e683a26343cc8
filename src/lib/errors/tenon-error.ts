/** `TenonError`: a failure on this side, with a code from one table. */
import { escapeInLines } from '../text/control-characters.ts';
import type { ConnectStep } from './connect-steps.ts';

/** Every local error by its code: what it means, and whether trying again can help. */
export const tenonErrors = {
  'already-open': { meaning: 'A transport was opened twice. It has one listener.', retry: false },
  'approval-decided': { meaning: 'An approval was decided before, or its call was begun.', retry: false },
  'approval-denied': { meaning: 'The approver did not allow exactly this call.', retry: false },
  'approval-not-found': {
    meaning: 'No approval has this ID, it has expired, or another person decides it.',
    retry: false,
  },
  'approval-pending': {
    meaning:
      'A call waits for the approval in `details`. Nothing has run; the same call can be repeated until it expires.',
    retry: true,
  },
  'audit-unavailable': { meaning: 'The audit log cannot be written. Nothing runs without its record.', retry: true },
  'authorization-failed': {
    meaning: 'No access token could be obtained. `details.steps` lists what was tried.',
    retry: false,
  },
  'batch-too-long': { meaning: 'A batch has more messages than the limit.', retry: false },
  'callback-failed': { meaning: 'A callback of yours threw or rejected.', retry: false },
  cancelled: { meaning: 'The caller cancelled the call.', retry: false },
  'call-not-held': {
    meaning: 'The process that held a call of the command line has ended. Its questions cannot be answered.',
    retry: false,
  },
  'capability-not-supported': {
    meaning: 'The peer did not declare the capability that this call needs.',
    retry: false,
  },
  'circuit-open': {
    meaning: 'The server failed too often in a row. Calls fail at once instead of waiting for it.',
    retry: true,
  },
  'command-not-found': { meaning: 'The program of a server was not found.', retry: false },
  'connection-closed': { meaning: 'The connection closed before the result arrived.', retry: true },
  'connection-refused': { meaning: 'No process listens at the address of the server.', retry: true },
  'consent-denied': { meaning: 'The host did not allow it.', retry: false },
  'duplicate-key': { meaning: 'A JSON object has the same key twice, and strict mode is on.', retry: false },
  'endpoint-not-found': { meaning: 'The server exists, but nothing is served at this path (404).', retry: false },
  'file-not-found': { meaning: 'A path root has no file at this path.', retry: false },
  'file-too-large': { meaning: 'A file is larger than the limit of its path root.', retry: false },
  forbidden: { meaning: 'The server does not allow this request (403).', retry: false },
  'host-not-found': { meaning: 'The host name has no address.', retry: true },
  'http-error': { meaning: 'The server refused a request with an HTTP status.', retry: false },
  'input-required': {
    meaning: 'The run of a handler ended because it needs input. It runs again with the answers.',
    retry: false,
  },
  'instance-failed': {
    meaning: 'A server of the official SDK could not be created, or its instance closed during a call.',
    retry: false,
  },
  'invalid-argument': { meaning: 'A function was called with an invalid argument or option.', retry: false },
  'invalid-definition': { meaning: 'A tool, resource, prompt, schema or server option is invalid.', retry: false },
  'invalid-icon': { meaning: 'An icon is unsafe to load, or is not the image it claims to be.', retry: false },
  'invalid-json': { meaning: 'Received text is not JSON.', retry: false },
  'invalid-lock': { meaning: 'A lock file is damaged, was edited, or has a newer version.', retry: false },
  'invalid-message': { meaning: 'A received message is not valid.', retry: false },
  'invalid-openapi': { meaning: 'An OpenAPI document cannot be used.', retry: false },
  'invalid-outgoing-message': { meaning: 'A message would break the protocol. It was not sent.', retry: false },
  'invalid-package': {
    meaning: 'A server cannot be packaged as package.json describes it. `details.problems` has every reason.',
    retry: false,
  },
  'invalid-policy': {
    meaning:
      'A policy is not valid, or its file cannot be read. `details.problems` has every problem with line and column.',
    retry: false,
  },
  'invalid-request-state': {
    meaning: 'The server does not accept the request state of this call: it expired, was used, or the tool changed.',
    retry: false,
  },
  'invalid-result': { meaning: 'The peer sent a result that is not valid.', retry: false },
  'invalid-schema': { meaning: 'A JSON Schema is unsafe or cannot be used.', retry: false },
  'invalid-snapshot': { meaning: 'A file is not a snapshot of a server, or has a newer version.', retry: false },
  'invalid-utf8': { meaning: 'Received bytes are not UTF-8.', retry: false },
  'invalid-capture': { meaning: 'A file is not a capture, or a line of it cannot be read.', retry: false },
  'capture-too-new': { meaning: 'A capture was written by a newer version of Tenon.', retry: false },
  'journal-full': {
    meaning: 'A task has stored more steps and answers than the limit, or returned a larger result.',
    retry: false,
  },
  'definition-changed': {
    meaning: 'A tool or prompt is another one than in the stored list that was shown. The call was not sent.',
    retry: false,
  },
  'list-too-long': { meaning: 'A server lists more items or characters than the limit.', retry: false },
  'listen-failed': { meaning: 'The server could not listen at its address.', retry: false },
  'lock-mismatch': {
    meaning: 'What a server offers is not what was approved. `details` has what was added, changed and removed.',
    retry: false,
  },
  'message-too-large': { meaning: 'A message is larger than the limit.', retry: false },
  'missing-package': { meaning: 'An optional package that an option needs is not installed.', retry: false },
  'nesting-too-deep': { meaning: 'A value is nested deeper than the limit.', retry: false },
  'not-encrypted': { meaning: 'Other machines can connect to a server without TLS.', retry: false },
  'outcome-unknown': {
    meaning: 'The connection, the server or a gateway failed after the call was sent. It may have run.',
    retry: false,
  },
  'package-too-large': { meaning: 'A bundle has more files or bytes than the limit.', retry: false },
  'parse-error': {
    meaning: 'The peer could not read a message: it answered with an error without an id.',
    retry: false,
  },
  'path-not-allowed': { meaning: 'A path leads out of its root, or to something that is not a file.', retry: false },
  'permission-denied': {
    meaning: 'The policy does not allow it. `details.decisionId` names the decision for `explain`.',
    retry: false,
  },
  'protocol-version-mismatch': { meaning: 'The two sides have no protocol version in common.', retry: false },
  'proxy-error': { meaning: 'A proxy refused a request.', retry: false },
  'queue-full': { meaning: 'More messages wait than the limit.', retry: true },
  'redirect-not-followed': {
    meaning: 'The server redirects to another origin, or too often.',
    retry: false,
  },
  'replay-diverged': {
    meaning: 'A handler requested something else under a key than in its earlier run.',
    retry: false,
  },
  'request-failed': { meaning: 'The peer answered with an error, and no call of yours waits for it.', retry: false },
  'request-state-too-large': { meaning: 'What a call has to remember between rounds is over the limit.', retry: false },
  'response-too-large': { meaning: 'A response is larger than the limit of the URL guard.', retry: false },
  'schema-drift': {
    meaning: 'What a server offers does not fit the contract of the client. `details.changes` has what drifted.',
    retry: false,
  },
  'script-failed': { meaning: 'The thread of a script of a model ended, or the script can never end.', retry: false },
  'script-limit-exceeded': {
    meaning: 'A script of a model is too long, makes too many calls, or one with too many characters.',
    retry: false,
  },
  'script-out-of-memory': { meaning: 'A script of a model needs more memory than the limit.', retry: false },
  'script-timeout': { meaning: 'A script of a model computes for longer than the limit.', retry: false },
  'server-exited': { meaning: 'The process of the server exited.', retry: true },
  'server-muted': {
    meaning: 'The user refused a server too often. They are not asked about it for a while.',
    retry: true,
  },
  'server-request-failed': { meaning: 'The client did not answer a server request.', retry: false },
  'server-unavailable': { meaning: 'The server cannot serve now (429 or 5xx).', retry: true },
  'server-unresponsive': { meaning: 'The server did not respond for too long.', retry: true },
  'session-expired': { meaning: 'The server does not know the session any more.', retry: true },
  'sign-in-required': { meaning: 'A person has to sign in first, at `details.url`.', retry: false },
  'skill-verification-failed': { meaning: 'A file of a skill does not match the entry of the skill.', retry: false },
  'spawn-failed': { meaning: 'The process of the server could not be started.', retry: false },
  'store-busy': { meaning: 'Another process held the store for too long.', retry: true },
  'store-failed': { meaning: 'A store operation failed.', retry: true },
  'store-key-missing': { meaning: 'A store is encrypted with a key that was not passed.', retry: false },
  'store-not-durable': {
    meaning: 'The store may lose what an option needs to be kept, or its durability could not be found out.',
    retry: false,
  },
  'store-not-encrypted': { meaning: 'A store that should be encrypted has data that is not.', retry: false },
  'store-tampered': { meaning: 'An encrypted value of a store was changed or moved.', retry: false },
  'store-timeout': { meaning: 'A store did not answer in time. The operation may have been carried out.', retry: true },
  'store-too-new': { meaning: 'A newer version of Tenon has written the data of a store.', retry: false },
  'store-too-old': {
    meaning: 'An older version of Tenon has written the data of a store in another layout.',
    retry: false,
  },
  'task-cancelled': { meaning: 'The task of a call was cancelled.', retry: false },
  'task-lost': {
    meaning: 'A task was cancelled, has expired, or is run by another worker: this run of it has no effect.',
    retry: false,
  },
  'task-not-found': {
    meaning: 'The server does not know a task: it is no longer stored, or belongs to another user.',
    retry: false,
  },
  timeout: { meaning: 'No result arrived in time.', retry: true },
  'tls-failed': { meaning: 'No secure connection could be made: a certificate or TLS setting is wrong.', retry: false },
  'tool-quality': {
    meaning:
      'The tools of a server cost a model too much, or models will trip over them. `details.findings` lists why.',
    retry: false,
  },
  'too-many-hosts': { meaning: 'All hosts of a pool are in use.', retry: true },
  'too-many-input-rounds': { meaning: 'A call required input more often than the limit.', retry: false },
  'too-many-questions': { meaning: 'A server has more questions for the user than the limit.', retry: true },
  'too-many-redirects': { meaning: 'A request was redirected more often than the limit.', retry: false },
  'too-many-tasks': {
    meaning: 'A call cannot become a task: its caller, or all callers, have more stored tasks than the limit.',
    retry: true,
  },
  'too-many-values': { meaning: 'A message has more values than the limit.', retry: false },
  unauthorized: { meaning: 'The server requires authentication (401).', retry: false },
  'unexpected-content': { meaning: 'The server answered with a content type that carries no messages.', retry: false },
  unreachable: { meaning: 'The address of the server cannot be reached.', retry: true },
  'unsafe-argument': { meaning: 'A value is not safe as an argument of a program.', retry: false },
  'unsafe-key': { meaning: 'A JSON object has a key named `__proto__`.', retry: false },
  'unsafe-permissions': { meaning: 'Other users could read or change a private file.', retry: false },
  'unsafe-sql': { meaning: 'A value is not safe as a part of an SQL statement.', retry: false },
  'url-not-allowed': { meaning: 'A URL is not on the allow-list, or leads into a private network.', retry: false },
} as const satisfies Record<string, { meaning: string; retry: boolean }>;

/** The codes of errors that Tenon itself reports. `tenonErrors` has the meaning of each. */
export type TenonErrorCode = keyof typeof tenonErrors;

/** What a `TenonError` carries besides its code and message. */
export interface TenonErrorOptions {
  /** What to do about it, in one sentence. */
  hint?: string;
  /** Facts about the failure, for programs to read. */
  details?: Readonly<Record<string, unknown>>;
  /** The error that led to this one. */
  cause?: unknown;
}

/** A failure on this side. It never crosses the wire; match on `code`. Control characters in its message are escaped. */
export class TenonError extends Error {
  /** Always `TenonError`. */
  override readonly name = 'TenonError';
  /** What failed, for programs: `timeout`, `connection-closed` and others. */
  readonly code: TenonErrorCode;
  /** What to do about it. It is also the end of `message`. */
  readonly hint: string | undefined;
  /** Values that belong to the error, such as the name of an option. */
  readonly details: Readonly<Record<string, unknown>>;
  /** The step of connecting that failed. Only errors of connecting have it. */
  declare readonly step?: ConnectStep;

  constructor(code: TenonErrorCode, message: string, options: TenonErrorOptions = {}) {
    // The message may name what the other side sent, and is printed.
    super(
      escapeInLines(options.hint === undefined ? message : `${message}${separator(message)}${options.hint}`),
      'cause' in options ? { cause: options.cause } : {},
    );
    this.code = code;
    this.hint = options.hint;
    this.details = options.details ?? {};
  }
}

/** The hint of a message with several lines is a line of its own. */
const separator = (message: string): string => (message.includes('\n  ') ? '\n  ' : ' ');

/** The message of an error without its hint, for callers that add to it. */
export function messageWithoutHint({ message, hint }: TenonError): string {
  if (hint === undefined) return message;
  return message.slice(0, -hint.length).replace(/(?:\n {2}| )$/, '');
}
