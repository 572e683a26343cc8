/** What to do about an error, in words of the page: hints of the library name options, which a person at the page does not have. */
import type { TenonErrorCode } from '../lib/errors/tenon-error.ts';

const hints: Readonly<Partial<Record<TenonErrorCode, string>>> = {
  'authorization-failed': 'Look at the steps of the sign-in below, or add a header with a token.',
  'capability-not-supported': 'The server did not declare it: see its capabilities under Server.',
  'command-not-found': 'Install it, or write its full path.',
  'connection-closed': 'Connect again.',
  'connection-refused': 'Start the server, or check the port.',
  forbidden: 'Check the token in the headers. Or the server does not accept requests to this host name.',
  'invalid-capture': 'Open a file that this page has saved, or that “tenon record” has written.',
  'list-too-long': 'The server should end its lists.',
  'message-too-large': 'The server sent more than this page takes at once: request less.',
  'protocol-version-mismatch': 'Choose another protocol version, or let both sides negotiate.',
  'server-exited':
    'Run the command in a terminal to see what it needs. If it works there, a variable may be missing: the program gets only PATH, HOME and similar ones, and those of “Environment”.',
  'server-request-failed': 'Run it again, and answer the question within ten minutes.',
  'server-unresponsive': 'Look at the log of the server, or connect again.',
  'session-expired': 'Connect again.',
  'sign-in-required': 'Connect again to sign in, or add a header with a token.',
  'tls-failed': 'Check the certificate of the server.',
  timeout: 'Look at the log of the server, then try again.',
  'too-many-input-rounds': 'The server asks for input without end: look at its code.',
  unauthorized: 'Add a header with a token.',
};

/** Names of code: `option`, limits.maxItems, connect(), "env". */
const code = /[`{]|\w\(|\b[a-z]+[A-Z]\w*|"[a-z]\w*"/;

/** The hint for a code; a hint of the library only if it names no code. */
export const pageHint = (of: TenonErrorCode, hint: string | undefined): string | undefined =>
  hints[of] ?? (hint === undefined || code.test(hint) ? undefined : hint);
