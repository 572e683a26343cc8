/** Errors in words that a model can act on: what happened and what to do, without addresses, stacks or advice for programmers. */
import { RpcError } from '../jsonrpc/errors.ts';
import { messageWithoutHint, TenonError, type TenonErrorCode } from '../lib/errors/tenon-error.ts';

/**
 * Characters of the text of an error for a model.
 * @limit agents
 * @beyond it is cut
 */
export const maxErrorChars = 400;

type Words = (named: { readonly tool: string; readonly server: string; readonly reason: string }) => string;

const goOn = 'Do not repeat the call: ask the user, or go on without it.';
const unavailable: Words = ({ server, reason }) =>
  `The server ${server} is not available now: ${reason} Nothing may have run. Try again later, or go on without it.`;
const signIn: Words = ({ server }) =>
  `The server ${server} does not accept the sign-in of the user. Ask the user to sign in; do not repeat the call before.`;
const later: Words = ({ tool, reason }) => `${tool} was not called: ${reason} Go on without it, or ask the user.`;

const words: Readonly<Partial<Record<TenonErrorCode, Words>>> = {
  'permission-denied': ({ tool }) =>
    `Denied: the rules of this user do not allow ${tool} with these arguments. ${goOn}`,
  'approval-pending': ({ tool }) =>
    `${tool} was not called: another person has to approve exactly this call first. Go on without it, and call it again with the same arguments later.`,
  'approval-denied': ({ tool }) => `Denied: another person did not approve ${tool} with these arguments. ${goOn}`,
  'consent-denied': ({ reason }) => `Denied: ${reason} ${goOn}`,
  'outcome-unknown': ({ tool }) =>
    `${tool} may have run: its result was lost. Check first whether it did; do not simply call it again.`,
  timeout: ({ tool }) =>
    `${tool} did not answer in time and was cancelled. It may have run in part: check before you call it again.`,
  'lock-mismatch': ({ tool }) => `${tool} was not called: it is not what the user approved. ${goOn}`,
  'invalid-lock': ({ tool }) => `${tool} was not called: what the user approved cannot be read. ${goOn}`,
  'invalid-outgoing-message': ({ reason }) => `The call was not sent: ${reason} Correct the arguments.`,
  'task-cancelled': ({ tool }) => `The task of ${tool} was cancelled. ${goOn}`,
  'task-not-found': ({ tool }) => `The task of ${tool} is not stored any more. Call it again if you need its result.`,
  'invalid-result': ({ tool }) => `${tool} ran, but its result is not valid. Do not repeat the call; go on without it.`,
  'invalid-request-state': ({ tool }) => `${tool} waited too long for an answer. Call it again if you still need it.`,
  'too-many-input-rounds': ({ tool }) => `${tool} asked too many questions and was ended. ${goOn}`,
  'server-request-failed': ({ tool }) => `${tool} needs an answer of the user that it did not get. ${goOn}`,
  'capability-not-supported': ({ tool }) => `${tool} needs something that this program does not have. ${goOn}`,
  'queue-full': ({ tool }) => `${tool} was not called: too many calls wait. Make fewer calls at once.`,
  'message-too-large': ({ tool }) =>
    `A message of ${tool} is too large: its arguments, or its result, and then it has run. Ask for less, such as a page or a filter.`,
  unauthorized: signIn,
  'sign-in-required': signIn,
  'authorization-failed': signIn,
  forbidden: ({ server }) => `The server ${server} does not allow this call to the user. ${goOn}`,
  'server-muted': later,
  'too-many-questions': later,
  'rate-limited': later,
  'connection-closed': unavailable,
  'connection-refused': unavailable,
  'command-not-found': unavailable,
  'circuit-open': unavailable,
  'host-not-found': unavailable,
  'http-error': unavailable,
  'proxy-error': unavailable,
  'server-exited': unavailable,
  'server-unavailable': unavailable,
  'server-unresponsive': unavailable,
  'session-expired': unavailable,
  'spawn-failed': unavailable,
  'tls-failed': unavailable,
  unreachable: unavailable,
} as Partial<Record<TenonErrorCode, Words>>;

/** Characters of a changed definition, which the model has to read. */
const maxDefinitionChars = 4000;

/** The text of a failed call. */
export function errorText(error: unknown, tool: string, server = 'of this tool'): string {
  if (error instanceof TenonError && error.code === 'definition-changed') return changedText(error, tool);
  return short(plainText(error, tool, server));
}

function plainText(error: unknown, tool: string, server: string): string {
  if (error instanceof TenonError) {
    const written = words[codeOf(error)];
    const reason = sentence(withoutAddresses(messageWithoutHint(error)));
    if (written !== undefined) return written({ tool, server, reason });
    return `${tool} failed (${error.code}): ${reason} Do not repeat the same call.`;
  }
  if (error instanceof RpcError) {
    const reason = sentence(withoutAddresses(error.message));
    if (error.reason === 'invalid-params')
      return `The server ${server} refused the arguments of ${tool}: ${reason} Correct them and call it again.`;
    return `The server ${server} answered ${tool} with an error: ${reason}`;
  }
  return `${tool} failed for a reason that is not known. Do not repeat the same call.`;
}

/** A result that is too large ends the connection: to call again without asking for less does not help. */
const codeOf = ({ code, cause }: TenonError): TenonErrorCode =>
  code === 'outcome-unknown' && cause instanceof TenonError && cause.code === 'message-too-large' ? cause.code : code;

/** The model has seen another definition: it gets the one of now. */
function changedText({ details }: TenonError, tool: string): string {
  if (details.definition === undefined)
    return `${tool} was not called: its server does not have it any more. Use another tool.`;
  const { description, inputSchema } = details.definition as { description?: unknown; inputSchema?: unknown };
  const now = JSON.stringify({ description, inputSchema }).slice(0, maxDefinitionChars);
  return `${tool} was not called: it has changed. Call it again if it still fits. It is now ${now}`;
}

/** The reason of an error alone, for `errors` of a list and for what a model reads. */
export const readableError = (error: unknown): string =>
  error instanceof TenonError || error instanceof RpcError
    ? short(sentence(withoutAddresses(error instanceof TenonError ? messageWithoutHint(error) : error.message)))
    : 'The reason is not known.';

const withoutAddresses = (text: string): string =>
  text.replace(/\b[a-z][a-z\d+.-]*:\/\/\S+/gi, '(address)').replace(/\s+/g, ' ');

const sentence = (text: string): string => (/[.!?]$/.test(text.trim()) ? text.trim() : `${text.trim()}.`);

const short = (text: string): string => (text.length <= maxErrorChars ? text : `${text.slice(0, maxErrorChars - 1)}…`);
