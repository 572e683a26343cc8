/** What a request is for, as its target says: most name a path alone, and those sent by way of a proxy a whole address. */

const slash = 47;
const address = /^https?:\/\/([^/?#]*)([^?#]*)/i;

/** The path, cut as text: a target may be anything that has no blank, and most of that is no address. */
export function pathOf(target: string): string {
  if (target.charCodeAt(0) === slash) return target.split('?', 1)[0] as string;
  const whole = address.exec(target);
  return whole === null ? target : whole[2] || '/';
}

/** The host and port of a whole address, which count instead of the header (RFC 9112, 3.2.2). */
export const authorityOf = (target: string): string | undefined =>
  target === '' || target.charCodeAt(0) === slash ? undefined : address.exec(target)?.[1];
