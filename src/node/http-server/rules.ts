/** The rules of the options of `serveHttp` whose types say too little. */
import { isFunction, type Rule } from '../../lib/options/option-rules.ts';
import { isRecord } from '../../lib/values/is.ts';

const isPath = (value: unknown): boolean => typeof value === 'string' && /^\/[^\s?#]*$/.test(value);

/** Without a certificate, or what replaces it, every handshake would fail. */
const hasCertificate = (value: unknown): boolean =>
  isRecord(value) &&
  ((isThere(value.key) && isThere(value.cert)) ||
    isThere(value.pfx) ||
    isFunction(value.SNICallback) ||
    // Pre-shared keys need no certificate, but ciphers: Node's defaults include none for them.
    (isFunction(value.pskCallback) && isThere(value.ciphers)));
const isThere = (value: unknown): boolean => value !== undefined && value !== null && value !== '';

export const listenAddress: Rule = {
  holds: (value) => typeof value === 'string' && /^[^\s/]+$/.test(value),
  must: "be an address of this machine, such as '0.0.0.0'",
};

export const endpointPath: Rule = { holds: isPath, must: "begin with a slash, as '/mcp' does" };

export const ssePaths: Rule = {
  holds: (value) => value === false || (isRecord(value) && isPath(value.stream) && isPath(value.messages)),
  must: "be { stream: '/sse', messages: '/messages' } with paths of yours, or false",
};

export const certificate: Rule = {
  holds: hasCertificate,
  must: 'have a key and its certificate as PEM in key and cert, or a pfx',
};
