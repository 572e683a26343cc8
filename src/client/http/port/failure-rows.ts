/** The table of HTTP failures: the error code, text and hint of each status and network error. */
import type { TenonErrorCode } from '../../../lib/errors/tenon-error.ts';

export interface Row {
  readonly code: TenonErrorCode;
  /** Follows the address. */
  readonly text: string;
  readonly hint: string;
}

export const row = (code: TenonErrorCode, text: string, hint: string): Row => ({ code, text, hint });

export const byStatus: Readonly<Record<number, Row>> = {
  401: row(
    'unauthorized',
    'requires authentication',
    'Pass auth: oauth({ … }) of tenon/auth, or a token: headers: { authorization: "Bearer …" }. If auth is set, what it sent was refused.',
  ),
  403: row(
    'forbidden',
    'does not allow this request',
    'Check the token and its scopes; or have the server admit this host or origin (allowedHosts, allowedOrigins).',
  ),
  404: row(
    'endpoint-not-found',
    'serves nothing at this path',
    'Check the path: most servers are at /mcp, older ones at /sse.',
  ),
  405: row(
    'http-error',
    'accepts no POST at this path',
    'Check the path: most servers are at /mcp, older ones at /sse.',
  ),
  406: row('http-error', 'cannot answer in JSON or as an event stream', 'Check that an MCP server is at this address.'),
  407: row(
    'proxy-error',
    'is behind a proxy that requires authentication',
    'Put user and password into the address of the proxy.',
  ),
  413: row('http-error', 'rejects the message as too large', 'Send less at once, or raise the limit of the server.'),
  429: row('server-unavailable', 'received too many requests', 'Wait before the next one.'),
};
export const refusedToken = row(
  'unauthorized',
  'refused the token',
  'Check that headers.authorization is meant for this server, and get a new token if it has expired.',
);
export const byClass: Readonly<Record<number, Row>> = {
  3: row('redirect-not-followed', 'redirects to another address', 'Connect to that address if you trust it.'),
  4: row('http-error', 'refused the request', 'Check that an MCP server is at this address.'),
  5: row('server-unavailable', 'cannot serve now', 'Try again later, or check the log of the server.'),
};
export const cutOff = row(
  'server-unavailable',
  'shut down before the call was finished',
  'The call may or may not have been executed.',
);
export const unknownStatus = row(
  'http-error',
  'answered with an unexpected status',
  'Check that an MCP server is at this address.',
);

const certificate = 'Pass the certificate of its authority as ca, or name its file in NODE_EXTRA_CA_CERTS.';
const refusedCertificate = row('tls-failed', 'has a certificate from an unknown authority', certificate);
const notFound = row(
  'host-not-found',
  'has a host name that was not found',
  'Check the spelling of the host, and the network.',
);
const unreachable = row(
  'unreachable',
  'does not answer',
  'Check host and port, the network, and firewalls in between.',
);
export const notHttp = row(
  'unexpected-content',
  'does not speak HTTP',
  'Check the port, and whether it has to be https instead of http.',
);
const noTls = row(
  'tls-failed',
  'does not speak TLS',
  'Check the port, and whether it has to be http instead of https.',
);

/** By the error codes of Node and undici; other runtimes have fewer. */
export const byCode: Readonly<Record<string, Row>> = {
  ENOTFOUND: notFound,
  EAI_AGAIN: notFound,
  ECONNREFUSED: row('connection-refused', 'is not listening', 'Start the server, or check the port.'),
  ETIMEDOUT: unreachable,
  EHOSTUNREACH: unreachable,
  ENETUNREACH: unreachable,
  UND_ERR_CONNECT_TIMEOUT: unreachable,
  DEPTH_ZERO_SELF_SIGNED_CERT: row('tls-failed', 'has a certificate that it signed itself', certificate),
  SELF_SIGNED_CERT_IN_CHAIN: refusedCertificate,
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: refusedCertificate,
  UNABLE_TO_GET_ISSUER_CERT: refusedCertificate,
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: refusedCertificate,
  CERT_HAS_EXPIRED: row(
    'tls-failed',
    'has a certificate that has expired',
    'Renew it; also check the clock of this machine.',
  ),
  CERT_NOT_YET_VALID: row(
    'tls-failed',
    'has a certificate that is not valid yet',
    'Check the clocks of both machines.',
  ),
  ERR_TLS_CERT_ALTNAME_INVALID: row(
    'tls-failed',
    'has a certificate for another host',
    'Use a name that is in the certificate.',
  ),
  EPROTO: noTls,
  ERR_SSL_WRONG_VERSION_NUMBER: noTls,
  ERR_SSL_PACKET_LENGTH_TOO_LONG: noTls,
};
export const broken = row(
  'connection-closed',
  'closed the connection before its response was complete',
  'The request may or may not have been executed.',
);
export const hungUp = row(
  'connection-closed',
  'closed the connection before its response was complete',
  'Check the port, whether it has to be https instead of http, and that an MCP server is there.',
);
export const hungUpTls = row(
  'connection-closed',
  'closed the connection before its response was complete',
  'Check the port, whether it has to be http instead of https, and that an MCP server is there.',
);
export const blockedPort = row(
  'invalid-argument',
  'has a port that fetch refuses',
  'Use another port: those of well-known services are blocked.',
);
export const throughProxy = row(
  'proxy-error',
  'cannot be reached through the proxy',
  'Check HTTPS_PROXY, HTTP_PROXY and NO_PROXY.',
);
export const badHeader = row(
  'invalid-argument',
  'cannot be sent a request like this',
  'Check the headers that were passed.',
);
