/** Parses the target of a request line: usually a path, or a full URL if the client uses a proxy. */

const slash = 47;
const address = /^https?:\/\/([^/?#]*)([^?#]*)/i;

/** The path, cut as text: a target may be anything without spaces, and need not be a valid URL. */
export function pathOf(target: string): string {
  if (target.charCodeAt(0) === slash) return target.split('?', 1)[0] as string;
  const whole = address.exec(target);
  return whole === null ? target : whole[2] || '/';
}

/** The host and port of a full URL, which take precedence over the Host header (RFC 9112, 3.2.2). */
export const authorityOf = (target: string): string | undefined =>
  target === '' || target.charCodeAt(0) === slash ? undefined : address.exec(target)?.[1];
