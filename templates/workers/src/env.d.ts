/** The variables and secrets of the worker. */
declare module 'cloudflare:workers' {
  export const env: { readonly PUBLIC_HOST: string; readonly SECRET?: string; readonly API_KEYS?: string };
}
