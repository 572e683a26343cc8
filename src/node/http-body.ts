/** Reads the body of a request: bounded, whole, and UTF-8. */
import type { IncomingMessage } from 'node:http';
import { bufferModule } from './builtins.ts';

const { isUtf8 } = bufferModule();

export interface BodyProblem {
  readonly status: number;
  readonly text: string;
}

/** Tells the text of the body, or what is wrong with it; nothing where the sender has gone. */
export function readBody(message: IncomingMessage, maxBytes: number, told: (body: string | BodyProblem) => void): void {
  if (Number(message.headers['content-length'] ?? 0) > maxBytes) return refuse(message, told, tooLarge(maxBytes));
  const chunks: Buffer[] = [];
  let size = 0;
  message.on('data', (chunk: Buffer) => {
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
  message.on('error', () => {});
}

/** What is not wanted is thrown away as it comes: a connection that closed on it would take the answer along. */
function refuse(message: IncomingMessage, told: (problem: BodyProblem) => void, problem: BodyProblem): void {
  message.removeAllListeners('data').removeAllListeners('end');
  message.resume();
  told(problem);
}

const tooLarge = (maxBytes: number): BodyProblem => ({ status: 413, text: `A message has at most ${maxBytes} bytes` });
const notUtf8: BodyProblem = { status: 400, text: 'The body is not UTF-8' };
