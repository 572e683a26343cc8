/** Reads a request of the page: only from a browser on this machine, at exactly the address of the inspector, and up to a limit. */
import type { IncomingMessage } from 'node:http';
import { InspectorError } from '../api-error.ts';

/** The host names under which a browser on this machine opens the page. */
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

/**
 * Bytes of a call.
 * @limit inspector
 * @beyond 413
 * @code body-too-large
 */
export const usualMaxBytes = 4 * 1024 * 1024;

/** The JSON body of a request, up to a limit. */
export async function readJson(request: IncomingMessage, maxBytes: number): Promise<unknown> {
  const { 'content-type': type = '', 'content-length': length = '0', 'content-encoding': encoding } = request.headers;
  if (!/^application\/json(?:\s*;|$)/i.test(type) || encoding !== undefined)
    throw new InspectorError('invalid-request', 'The body must be plain JSON.', 'Send Content-Type: application/json.');
  if (Number(length) > maxBytes) throw tooLarge(maxBytes);
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size > maxBytes) throw tooLarge(maxBytes);
    chunks.push(chunk);
  }
  try {
    return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(Buffer.concat(chunks)));
  } catch {
    throw new InspectorError('invalid-request', 'The body is not JSON.');
  }
}

const tooLarge = (maxBytes: number): InspectorError =>
  new InspectorError('body-too-large', `The body is larger than ${maxBytes} bytes.`);
