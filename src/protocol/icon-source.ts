/** Where icons may come from: over https, or as an image within the URI itself. Anything else could run or read something. */
import { isUrl } from './addresses.ts';

/** The parsed URI of an icon, or nothing where it is of no kind that an icon may have. */
export function iconSource(src: unknown): URL | undefined {
  if (typeof src !== 'string' || !isUrl(src)) return undefined;
  const url = new URL(src);
  const isImage = url.protocol === 'https:' || (url.protocol === 'data:' && /^image\//i.test(url.pathname));
  // A name and password in a URI are credentials, and icons are fetched without any.
  return isImage && url.username === '' && url.password === '' ? url : undefined;
}
