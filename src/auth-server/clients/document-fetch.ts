/** The fetch for documents of clients, for tests only: not an option that users see. */

type Fetch = (url: string, init: RequestInit) => Promise<Response>;

const key: unique symbol = Symbol.for('tenon.document-fetch') as never;

/** To be spread into the options of `authorizationServer()`. */
export const withDocumentFetch = (fetch: Fetch): object => ({ [key]: fetch });

/** The fetch in options, if a test has set it. */
export const documentFetchIn = (options: object): Fetch | undefined => (options as { [key]?: Fetch })[key];
