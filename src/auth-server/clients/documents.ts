/** Fetches what clients name by URL, their metadata documents and keys: from public addresses alone, within limits. */
import { AsyncLocalStorage } from 'node:async_hooks';
import { createUrlGuard } from '../../input-safety/index.ts';
import { TenonError } from '../../lib/errors/tenon-error.ts';
import { shareOf } from '../../ports/share.ts';
import { SlotShares } from '../../server/ports/slot-shares.ts';
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
 * Documents of clients that are fetched at a time. Requests of one address cause no more than they leave to others: alone, half
 * of them.
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
  /** Whose request is being served; `undefined` outside one. */
  share(): string | undefined;
  /** Whether a client may be named by this URL. */
  isAllowed(clientId: string): boolean;
  /** Serves a request of an address: what is fetched for it counts for this address. */
  askedBy(address: string, serve: () => Promise<void>): Promise<void>;
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
  const slots = new SlotShares(maxFetches, false);
  const addresses = new AsyncLocalStorage<string>();
  return {
    async fetch(url, init) {
      const share = shareOf({ address: addresses.getStore() ?? '' });
      if (!slots.take(share)) throw new TenonError('queue-full', 'Too many documents of clients are being fetched.');
      try {
        return await send(url, init);
      } finally {
        slots.release(share);
      }
    },
    share: () => shareOf({ address: addresses.getStore() }),
    askedBy: (address, serve) => addresses.run(address, serve),
    isAllowed: (clientId) =>
      documents !== false && clientId.length <= maxIdChars && (hosts?.includes(new URL(clientId).host) ?? true),
    close: () => guard.close(),
  };
}
