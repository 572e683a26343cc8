/** Which addresses are those of this machine. */

const names = new Set(['localhost', '127.0.0.1', '[::1]']);

/** Whether a `Host` header names this machine. Other names are refused: a web page could have pointed its own here. */
export const isLoopbackHost = (host = ''): boolean => names.has(host.toLowerCase().replace(/:\d+$/, ''));

/** Whether it is an http URL of this machine. */
export const isLoopbackUrl = (value: unknown): boolean => {
  if (typeof value !== 'string' || !URL.canParse(value)) return false;
  const { protocol, hostname } = new URL(value);
  return protocol === 'http:' && names.has(hostname);
};
