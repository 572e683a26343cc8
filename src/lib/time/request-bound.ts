/** Whether the runtime binds timers and promises to the request that made them. */

/** So does workerd, which runs workers of Cloudflare: what another request waits for ends with the request that set it. */
export const isRequestBound = (): boolean => globalThis.navigator?.userAgent === 'Cloudflare-Workers';
