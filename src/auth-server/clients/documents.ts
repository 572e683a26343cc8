/** Fetches what clients name by URL, their metadata documents and keys: from public addresses alone, within limits. */
import { createUrlGuard } from '../../input-safety/index.ts';
import { TenonError } from '../../lib/errors/tenon-error.ts';
import { maxIdChars } from './sealed-client.ts';

/**
 * Bytes of a document of a client.
 * @limit auth-server
 * @beyond `invalid_client`
 */
export const maxDocumentBytes = 64 * 1024;

/**
 * How long a document of a client may take to arrive. The engine waits for half of it.
 * @limit auth-server
 * @beyond `invalid_client`
 */
const documentMs = 5000;

/**
 * Documents of clients that are fetched at a time.
 * @limit auth-server
 * @beyond `invalid_client`
 */
const maxFetches = 20;

type Fetch = (url: string, init: RequestInit) => Promise<Response>;

const fetchKey: unique symbol = Symbol.for('tenon.document-fetch') as never;

/** To be spread into the options of `authorizationServer()` by tests: users do not see it. */
export const withDocumentFetch = (fetch: Fetch): object => ({ [fetchKey]: fetch });

const fetchIn = (options: object): Fetch | undefined => (options as { [fetchKey]?: Fetch })[fetchKey];

export interface ClientDocuments {
  readonly fetch: Fetch;
  /** Whether a client may be named by this URL. */
  isAllowed(clientId: string): boolean;
  close(): Promise<void>;
}

/** `documents`: whether there are any, or of which hosts. `options` are those of the server. */
export function createClientDocuments(documents: boolean | readonly string[], options: object): ClientDocuments {
  const hosts = typeof documents === 'boolean' ? undefined : documents;
  const guard = createUrlGuard({
    allow: hosts?.map((host) => `https://${host}`) ?? ['https://*'],
    maxResponseBytes: maxDocumentBytes,
    timeoutMs: documentMs,
  });
  const send = fetchIn(options) ?? guard.fetch;
  let fetches = 0;
  return {
    async fetch(url, init) {
      if (fetches >= maxFetches) throw new TenonError('queue-full', 'Too many documents of clients are being fetched.');
      fetches++;
      try {
        return await send(url, init);
      } finally {
        fetches--;
      }
    },
    isAllowed: (clientId) =>
      documents !== false && clientId.length <= maxIdChars && (hosts?.includes(new URL(clientId).host) ?? true),
    close: () => guard.close(),
  };
}
