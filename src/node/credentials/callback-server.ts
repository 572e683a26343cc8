/** A small HTTP server on this machine that receives one redirect of an authorization server. */
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { TenonError } from '../../lib/errors/tenon-error.ts';

export interface CallbackServer {
  readonly port: number;
  /** Resolves to the query of the first redirect that is for this sign-in. */
  readonly received: Promise<string>;
  /** From now on, only redirects with this `state` count. */
  expect(state: string | null): void;
  close(): Promise<void>;
}

/** The redirect is one short GET of a browser on this machine. */
const requestMs = 10_000;
const maxConnections = 16;

/** Listens on the loopback interface only. `port` 0 is a free one. Rejects with an error of Node. */
export async function listenForCallback(path: string, port: number): Promise<CallbackServer> {
  const { createServer } = process.getBuiltinModule('node:http');
  let expected: string | null = null;
  let resolve: (query: string) => void = () => {};
  const received = new Promise<string>((onReceived) => {
    resolve = onReceived;
  });
  let isReceived = false;

  const answer = (request: IncomingMessage, response: ServerResponse): void => {
    const [pathname = '', query = ''] = splitAt(request.url ?? '', '?');
    if (pathname !== path) return send(response, 404, 'Nothing is here.');
    if (request.method !== 'GET') return send(response, 405, 'This page is opened by a browser.');
    const state = new URLSearchParams(query).get('state');
    // Any page of any site can open this address: what is not for this sign-in must not end it.
    if (isReceived || (expected !== null && state !== expected))
      return send(response, 400, 'This page does not belong to a sign-in that is under way.');
    isReceived = true;
    response.once('close', () => resolve(query));
    send(response, 200, 'You can close this page now and return to the program.');
  };

  const server = createServer({ requestTimeout: requestMs, headersTimeout: requestMs }, answer);
  server.maxConnections = maxConnections;
  await listen(server, port);
  return {
    port: (server.address() as AddressInfo).port,
    received,
    expect(state) {
      expected = state;
    },
    close: () =>
      new Promise((closed) => {
        server.close(() => closed());
        server.closeAllConnections();
      }),
  };
}

function listen(server: Server, port: number): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen({ host: '127.0.0.1', port, exclusive: true }, () => {
      server.off('error', reject);
      // A connection that fails later affects no other.
      server.on('error', () => {});
      resolve();
    });
  });
}

/** The colours and the frame of the other pages of a sign-in (`auth-pages/style.ts`). */
const style =
  ':root{color-scheme:light dark}*{box-sizing:border-box}body{margin:0;padding:16px;background:light-dark(#f8f8f9,#101115);color:light-dark(#1a1b1f,#e8e9ed);font:16px/24px system-ui,-apple-system,"Segoe UI",Roboto,"Helvetica Neue",sans-serif;-webkit-text-size-adjust:100%}main{max-width:480px;margin:8vh auto 0;padding:32px;background:light-dark(#fff,#1c1e23);border:1px solid light-dark(#e8e8ec,#2f323a);border-radius:10px}h1{margin:0 0 16px;font-size:22px;line-height:30px;font-weight:600}p{margin:0}@media(max-width:480px){main{margin-top:0;padding:24px 20px}}';

/** The content policy allows this style and no other. */
const styleHash = (): string =>
  `sha256-${process.getBuiltinModule('node:crypto').createHash('sha256').update(style).digest('base64')}`;

/** A page without scripts, and without anything of the request. */
function send(response: ServerResponse, status: number, text: string): void {
  const head = `<meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1"><meta name="robots" content="noindex"><title>Sign-in</title><style>${style}</style>`;
  const page = `<!doctype html><html lang="en"><head>${head}</head><body><main><h1>Sign-in</h1><p>${text}</p></main></body></html>\n`;
  response
    .writeHead(status, {
      'content-type': 'text/html; charset=utf-8',
      'content-length': Buffer.byteLength(page),
      'content-security-policy': `default-src 'none'; style-src '${styleHash()}'; frame-ancestors 'none'`,
      'cache-control': 'no-store',
      'referrer-policy': 'no-referrer',
      'x-content-type-options': 'nosniff',
      connection: 'close',
    })
    .end(page);
}

function splitAt(text: string, separator: string): [string, string] {
  const at = text.indexOf(separator);
  return at === -1 ? [text, ''] : [text.slice(0, at), text.slice(at + 1)];
}

export const listenFailed = (port: number, cause: unknown): TenonError => {
  const { code } = cause as NodeJS.ErrnoException;
  return new TenonError(
    'listen-failed',
    `The sign-in cannot listen on 127.0.0.1:${port}: ${code ?? 'unknown error'}.`,
    {
      hint: 'Choose another port of terminalSignIn(), or leave it out if the client may use any port.',
      details: { port, ...(code === undefined ? {} : { reason: code }) },
      cause,
    },
  );
};
