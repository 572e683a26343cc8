/** Who may talk to the inspector: a browser on this machine, at exactly its own address. */
import type { IncomingMessage } from 'node:http';
import { InspectorError } from '../api-error.ts';

/** The names by which a browser on this machine reaches a port of it. */
const ownNames = ['127.0.0.1', 'localhost', '[::1]'];

const loopback = /^(?:127\.\d+\.\d+\.\d+|::1|::ffff:127\.\d+\.\d+\.\d+)$/;

/**
 * Throws `wrong-origin` for any other Host, which prevents DNS rebinding, for other machines, and for requests that a
 * page of another origin sends. `isCall` needs an Origin: a browser sends it with every POST.
 */
export function admit({ headers, socket }: IncomingMessage, isCall: boolean): void {
  const { host = '', origin, 'sec-fetch-site': site } = headers;
  const port = socket.localPort;
  if (!loopback.test(socket.remoteAddress ?? '') || !loopback.test(socket.localAddress ?? ''))
    throw refused('The inspector answers only on this machine.');
  const hosts = ownNames.flatMap((name) => (port === 80 ? [name, `${name}:80`] : [`${name}:${port}`]));
  if (!hosts.includes(host)) throw refused('Host is not the address of the inspector.');
  if (origin === undefined ? isCall : origin !== `http://${host}`)
    throw refused('Origin is not the address of the inspector.');
  if (isCall && site !== undefined && site !== 'same-origin')
    throw refused('The request does not come from the page of the inspector.');
}

const refused = (text: string): InspectorError =>
  new InspectorError('wrong-origin', text, 'Open the link that was printed when the inspector was started.');
