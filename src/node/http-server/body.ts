/** Reads the body of a request as UTF-8 text, up to a size limit. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import { smallRequest } from '../../server/http/admission/gate/received-request.ts';
import { bodyTooLarge, encoded, isEncoded, type MakeRoom, type Refused } from '../../server/http/message.ts';
import { bufferModule } from '../process/builtins.ts';

const { isUtf8 } = bufferModule();

/** Calls back with the text of the body, or with the refusal; not at all if the client disconnects. */
export function readBody(
  message: IncomingMessage,
  maxBytes: number,
  makeRoom: MakeRoom,
  done: (body: string | Refused) => void,
): void {
  if (message.readableEnded) return done(bodyReadBefore(message, maxBytes));
  const { 'content-length': length = '0', 'content-encoding': encoding, expect } = message.headers;
  if (encoding !== undefined && isEncoded(encoding)) return refuse(message, done, encoded);
  if (Number(length) > maxBytes) return refuse(message, done, bodyTooLarge(maxBytes));
  if (expect !== undefined) held.get(message)?.();
  let body: Buffer | undefined;
  let size = 0;
  message.on('data', (data: Buffer | string) => {
    // Earlier middleware may have set an encoding.
    const chunk = typeof data === 'string' ? Buffer.from(data, message.readableEncoding ?? 'utf8') : data;
    const length = size + chunk.length;
    // The first chunk is not copied; more of them go into one buffer that doubles.
    const room = body === undefined ? length : length <= body.length ? 0 : Math.min(length * 2, maxBytes);
    const refused = length > maxBytes ? bodyTooLarge(maxBytes) : room > smallRequest ? makeRoom(room) : undefined;
    if (refused !== undefined) {
      body = undefined;
      return refuse(message, done, refused);
    }
    body = body === undefined ? chunk : appended(body, size, chunk, room);
    size = length;
  });
  message.on('end', () => {
    // Nearly every body is one chunk, which needs no view of its own.
    const whole = body === undefined || body.length === size ? (body ?? noBytes) : body.subarray(0, size);
    // The listeners live as long as the request.
    body = undefined;
    done(isUtf8(whole) ? whole.toString('utf8') : notUtf8);
  });
}

const noBytes = Buffer.alloc(0);

/** Copied at once: a client may send single bytes as chunks, and each would take a hundred times as much if it were kept. */
function appended(body: Buffer, size: number, chunk: Buffer, room: number): Buffer {
  const larger = room === 0 ? body : Buffer.allocUnsafeSlow(room);
  if (larger !== body) body.copy(larger, 0, 0, size);
  chunk.copy(larger, size);
  return larger;
}

/** The rest of the body is discarded as it comes, for as long as `unfinished-requests.ts` allows. */
function refuse(message: IncomingMessage, done: (problem: Refused) => void, problem: Refused): void {
  message.removeAllListeners('data').removeAllListeners('end');
  message.resume();
  done(problem);
}

const notUtf8: Refused = { status: 400, text: 'The body is not UTF-8' };

/** A framework may have read the body already, and usually parsed it. The limit holds for what was sent and what is read. */
function bodyReadBefore(message: IncomingMessage, maxBytes: number): string | Refused {
  if (Number(message.headers['content-length'] ?? 0) > maxBytes) return bodyTooLarge(maxBytes);
  const text = textReadBefore(message);
  return typeof text === 'string' && Buffer.byteLength(text) > maxBytes ? bodyTooLarge(maxBytes) : text;
}

function textReadBefore(message: IncomingMessage): string | Refused {
  const { body } = message as { body?: unknown };
  if (body === undefined) return bodyMissing;
  if (typeof body === 'string') return body;
  if (body instanceof Uint8Array) return isUtf8(body) ? new TextDecoder().decode(body) : notUtf8;
  try {
    return JSON.stringify(body) ?? bodyNotJson;
  } catch {
    return bodyNotJson;
  }
}

const bodyNotJson: Refused = {
  status: 500,
  text: 'The request body was read before this handler, and request.body holds no JSON: store the text there, or the result of JSON.parse',
};

const bodyMissing: Refused = {
  status: 500,
  text: 'The request body was read before this handler: remove the body parser, or store its result in request.body',
};

/** Clients that sent `Expect: 100-continue` and wait, each with the function that lets it continue. */
const held = new WeakMap<IncomingMessage, () => void>();

/** Lets the client wait until its body is read. If the request is refused before, its connection closes. */
export function holdBody(request: IncomingMessage, response: ServerResponse): void {
  const { shouldKeepAlive } = response;
  response.shouldKeepAlive = false;
  held.set(request, () => {
    held.delete(request);
    response.shouldKeepAlive = shouldKeepAlive;
    response.writeContinue();
  });
}

/** Lets the client continue, if it waits. */
export const releaseBody = (request: IncomingMessage): void => held.get(request)?.();
