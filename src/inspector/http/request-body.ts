/** Reads the JSON body of a request, up to a limit. */
import type { IncomingMessage } from 'node:http';
import { InspectorError } from '../api-error.ts';

/** The largest body of most calls. */
export const usualMaxBytes = 4 * 1024 * 1024;

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
