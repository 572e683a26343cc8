/** The variables and secrets of the worker: `npx wrangler types` writes this file anew. */
declare module 'cloudflare:workers' {
  export const env: { readonly PUBLIC_HOST: string; readonly SECRET: string; readonly API_KEYS: string };
}
