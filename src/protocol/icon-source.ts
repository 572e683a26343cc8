/** The allowed sources of icons: https, or an image in a data URI. Other schemes could run code or read files. */
import { isUrl } from '../lib/text/parse-url.ts';

/** The parsed URI of an icon, or `undefined` where its source is not allowed. */
export function iconSource(src: unknown): URL | undefined {
  if (typeof src !== 'string' || !isUrl(src)) return undefined;
  const url = new URL(src);
  const isImage = url.protocol === 'https:' || (url.protocol === 'data:' && /^image\//i.test(url.pathname));
  // A name and password in a URI are credentials, and icons are fetched without any.
  return isImage && url.username === '' && url.password === '' ? url : undefined;
}
