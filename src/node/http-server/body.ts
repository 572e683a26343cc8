/** Reads the body of a request: bounded, whole, and UTF-8. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import { encoded, isEncoded, type Refused } from '../../server/http/message.ts';
import { bufferModule } from '../process/builtins.ts';

const { isUtf8 } = bufferModule();

/** Tells the text of the body, or what is wrong with it; nothing where the sender has gone, which Node tells to nobody who does not ask. */
export function readBody(message: IncomingMessage, maxBytes: number, told: (body: string | Refused) => void): void {
  if (message.readableEnded) return told(bodyReadBefore(message));
  const { 'content-length': length = '0', 'content-encoding': encoding, expect } = message.headers;
  if (encoding !== undefined && isEncoded(encoding)) return refuse(message, told, encoded);
  if (Number(length) > maxBytes) return refuse(message, told, tooLarge(maxBytes));
  if (expect !== undefined) held.get(message)?.();
  const chunks: Buffer[] = [];
  let size = 0;
  message.on('data', (given: Buffer | string) => {
    // Something before may have asked for text.
    const chunk = typeof given === 'string' ? Buffer.from(given, message.readableEncoding ?? 'utf8') : given;
    size += chunk.length;
    if (size <= maxBytes) return void chunks.push(chunk);
    chunks.length = 0;
    refuse(message, told, tooLarge(maxBytes));
  });
  message.on('end', () => {
    if (size > maxBytes) return;
    const [first] = chunks;
    const body = chunks.length === 1 && first !== undefined ? first : Buffer.concat(chunks);
    told(isUtf8(body) ? body.toString('utf8') : notUtf8);
  });
}

/** What is not wanted is thrown away as it comes: a connection that closed on it would take the answer along. */
function refuse(message: IncomingMessage, told: (problem: Refused) => void, problem: Refused): void {
  message.removeAllListeners('data').removeAllListeners('end');
  message.resume();
  told(problem);
}

const tooLarge = (maxBytes: number): Refused => ({ status: 413, text: `A message has at most ${maxBytes} bytes` });
const notUtf8: Refused = { status: 400, text: 'The body is not UTF-8' };

/** Frameworks may have read the body already, and most parse it. */
function bodyReadBefore(message: IncomingMessage): string | Refused {
  const { body } = message as { body?: unknown };
  if (body === undefined) return readAndGone;
  if (typeof body === 'string') return body;
  if (body instanceof Uint8Array) return isUtf8(body) ? new TextDecoder().decode(body) : notUtf8;
  try {
    return JSON.stringify(body) ?? unwritable;
  } catch {
    return unwritable;
  }
}

const unwritable: Refused = {
  status: 500,
  text: 'Something before this handler has read the body and keeps in request.body what JSON cannot hold: have it keep the text, or what JSON.parse made of it',
};

const readAndGone: Refused = {
  status: 500,
  text: 'Something before this handler has read the body: have it leave that alone, or keep what it read in request.body',
};

/** How to have senders go on that wait to hear whether anybody wants their body. */
const held = new WeakMap<IncomingMessage, () => void>();

/** Has a sender wait until its body is read. One that is refused first keeps it, so its connection ends there. */
export function holdBody(request: IncomingMessage, response: ServerResponse): void {
  const { shouldKeepAlive } = response;
  response.shouldKeepAlive = false;
  held.set(request, () => {
    held.delete(request);
    response.shouldKeepAlive = shouldKeepAlive;
    response.writeContinue();
  });
}

/** Has the sender of a body that was held go on, if it was. */
export const releaseBody = (request: IncomingMessage): void => held.get(request)?.();
