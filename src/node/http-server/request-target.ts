/** Parses the target of a request line: usually a path, or a full URL if the client uses a proxy. */
import type { IncomingMessage } from 'node:http';

const slash = 47;
const address = /^https?:\/\/([^/?#]*)([^?#]*)/i;

/** The path, cut as text: a target may be anything without spaces, and need not be a valid URL. */
export function pathOf(target: string): string {
  if (target.charCodeAt(0) === slash) {
    const end = target.indexOf('?');
    return end === -1 ? target : target.slice(0, end);
  }
  const whole = address.exec(target);
  return whole === null ? target : whole[2] || '/';
}

/** The host and port of a full URL, which take precedence over the Host header (RFC 9112, 3.2.2). */
export const authorityOf = (target: string): string | undefined =>
  target === '' || target.charCodeAt(0) === slash ? undefined : address.exec(target)?.[1];

/** The path that is requested, if it is one of these. Express cuts the path of a mounted handler off `url`, and leaves `originalUrl`. */
export function pathWhere(
  paths: { has(path: string): boolean },
  request: IncomingMessage & { originalUrl?: unknown },
): string | undefined {
  const { url = '', originalUrl } = request;
  const path = pathOf(url);
  if (paths.has(path)) return path;
  if (typeof originalUrl !== 'string' || originalUrl === url) return undefined;
  const whole = pathOf(originalUrl);
  return paths.has(whole) ? whole : undefined;
}
