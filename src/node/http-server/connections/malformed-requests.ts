/** Answers requests that Node could not parse, as Node itself does, and reports them. */
import type { Server as HttpServer, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

/** Status lines by error code; all others are 400. */
const lines: Readonly<Record<string, string>> = {
  HPE_HEADER_OVERFLOW: '431 Request Header Fields Too Large',
  HPE_CHUNK_EXTENSIONS_OVERFLOW: '413 Payload Too Large',
  ERR_HTTP_REQUEST_TIMEOUT: '408 Request Timeout',
  ERR_TLS_HANDSHAKE_TIMEOUT: '408 Request Timeout',
};

/** The response in progress on a socket, which is private to Node. */
type Busy = Socket & { readonly _httpMessage?: Pick<ServerResponse, 'headersSent'> | null };

export function answerMalformedRequests(listener: HttpServer, onRejected: (status: number) => void): void {
  listener.on('clientError', (error: NodeJS.ErrnoException, socket: Busy) => {
    // Text written into a response that has begun would become part of it.
    if (error.code !== 'ECONNRESET' && socket.writable && socket._httpMessage?.headersSent !== true) {
      const line = lines[error.code ?? ''] ?? '400 Bad Request';
      socket.write(`HTTP/1.1 ${line}\r\nConnection: close\r\n\r\n`, 'latin1');
      onRejected(Number.parseInt(line, 10));
    }
    socket.destroy(error);
  });
}
