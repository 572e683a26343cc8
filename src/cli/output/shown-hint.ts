/** Hints of errors are written for programs that use the library: here they name options of the command line instead. */
import type { TenonError } from '../../lib/errors/tenon-error.ts';

/** The option of the library in a hint, and what to do on the command line; the first that is found decides. */
const advice: readonly (readonly [found: RegExp, written: string])[] = [
  [/ and those in "env"\./, ' and those that -e NAME=VALUE sets.'],
  [/or set PATH in "env"\./, 'or set PATH with -e PATH=….'],
  [/^Set "cwd" to an existing folder\.$/, 'Pass an existing folder with --cwd DIR.'],
  [
    /^Add one of the server's versions to the option "protocolVersions", or/,
    'Pass one of its versions with --protocol-version, or',
  ],
  [
    /^Raise (?:the option )?"(?:timeoutMs|maxTotalTimeoutMs|timeouts\.pingIntervalMs)".*$/,
    'Wait longer with --timeout SECONDS.',
  ],
  [/, or raise (?:the option )?"?(?:limits|timeouts)\.\w+"?(?: of oauth\(\))?\.$/, '.'],
  [/; raise timeouts\.\w+ of oauth\(\)[^.]*\.$/, '.'],
  [
    /^Raise the option "limits\.\w+" if the server is right\.$/,
    'The command line lists no more: look for a page of the list that does not end.',
  ],
  [
    /^Get a token with these scopes, or pass auth: .*$/,
    'Get a token with these scopes: tenon login URL --scope SCOPE.',
  ],
  [
    /^Register a client .*pass (?:it as client|client: \{ clientId \}).*$/,
    'Register a client at the authorization server, and pass its ID: tenon login URL --client-id ID.',
  ],
  [/^Pass client: \{ clientId \}\.$/, 'Pass the ID of a registered client: tenon login URL --client-id ID.'],
  [
    /^Try again later, or pass client\.$/,
    'Try again later, or pass the ID of a registered client: tenon login URL --client-id ID.',
  ],
  [
    /^Pass auth: oauth\(.*$/,
    'Sign in with tenon login URL, or send a token: -H "Authorization: Bearer …". If one was sent, it was refused.',
  ],
  [/client\.capabilities has what the server declared\.$/, 'tenon info shows what the server declared.'],
];

export function shownHint(hint: string): string {
  const known = advice.find(([found]) => found.test(hint));
  return known === undefined ? hint : hint.replace(known[0], known[1]);
}

/** The whole message of an error, with the hint for the command line. */
export const shownMessage = ({ hint, message }: TenonError): string =>
  hint === undefined ? message : message.slice(0, message.length - hint.length) + shownHint(hint);
