/** Media as providers take them: a whole request is refused for an image that is none, or is of another type than it says. */
import type { ModelPart } from '../../client/content/model-content.ts';

/** A part with bytes. */
export type MediaPart = Exclude<ModelPart, { readonly type: 'text' }>;

/** The first characters in Base64 of the types that providers look at. */
const beginnings: readonly (readonly [type: string, beginning: RegExp])[] = [
  ['image/png', /^iVBORw0KGgo/],
  ['image/jpeg', /^\/9j\//],
  ['image/gif', /^R0lGOD(?:dh|lh)/],
  // `RIFF`, a length, `WEBP`.
  ['image/webp', /^UklGR.{7}RUJQ/],
  ['application/pdf', /^JVBERi0/],
];

const known: ReadonlySet<string> = new Set(beginnings.map(([type]) => type));

/** With the type that the bytes have, in its plain form; `undefined` if they are not what they say. */
export function trueMedia(part: MediaPart): MediaPart | undefined {
  // Some encoders break lines.
  const data = part.data.replace(/\s/g, '');
  if (data === '' || !isBase64(data)) return undefined;
  const [stated = ''] = part.mimeType.toLowerCase().split(';');
  const type = stated.trim() === 'image/jpg' ? 'image/jpeg' : stated.trim();
  if (!/^[\w.+-]+\/[\w.+-]+$/.test(type)) return undefined;
  const found = beginnings.find(([, beginning]) => beginning.test(data))?.[0];
  if (found !== undefined && sort(found) === sort(type)) return { ...part, data, mimeType: found };
  return known.has(type) ? undefined : { ...part, data, mimeType: type };
}

const sort = (type: string): string | undefined => type.split('/')[0];

const isBase64 = (data: string): boolean => data.length % 4 === 0 && /^[A-Za-z\d+/]*={0,2}$/.test(data);
