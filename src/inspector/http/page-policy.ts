/** The headers of every response: what the page may load, and that nothing else may use it. */

/** `apps` is the origin of the frames of apps. */
export const pagePolicy = (apps: string | undefined): string =>
  [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "img-src 'self' data: blob:",
    'media-src data: blob:',
    "font-src 'self'",
    "connect-src 'self'",
    "worker-src 'self'",
    `frame-src ${apps ?? "'none'"}`,
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
    "require-trusted-types-for 'script'",
    'trusted-types inspector',
  ].join('; ');

export const safeHeaders: Readonly<Record<string, string>> = {
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  'x-frame-options': 'DENY',
  'cache-control': 'no-store',
};
