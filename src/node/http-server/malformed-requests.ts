/** Answers what Node could not read as a request, as Node itself does, and tells of it. */
import type { Server as HttpServer, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

/** What Node's parser says went wrong; all else is 400. */
const lines: Readonly<Record<string, string>> = {
  HPE_HEADER_OVERFLOW: '431 Request Header Fields Too Large',
  HPE_CHUNK_EXTENSIONS_OVERFLOW: '413 Payload Too Large',
  ERR_HTTP_REQUEST_TIMEOUT: '408 Request Timeout',
  ERR_TLS_HANDSHAKE_TIMEOUT: '408 Request Timeout',
};

/** A socket knows the response that is under way on it; Node keeps that to itself. */
type Busy = Socket & { readonly _httpMessage?: Pick<ServerResponse, 'headersSent'> | null };

export function answerMalformedRequests(listener: HttpServer, turnedAway: (status: number) => void): void {
  listener.on('clientError', (error: NodeJS.ErrnoException, socket: Busy) => {
    // What is written into a response that has begun would become part of it.
    if (error.code !== 'ECONNRESET' && socket.writable && socket._httpMessage?.headersSent !== true) {
      const line = lines[error.code ?? ''] ?? '400 Bad Request';
      socket.write(`HTTP/1.1 ${line}\r\nConnection: close\r\n\r\n`, 'latin1');
      turnedAway(Number.parseInt(line, 10));
    }
    socket.destroy(error);
  });
}
