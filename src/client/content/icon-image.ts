/** Reads the type and the size of an image, and whether it is animated, from its header without decoding it. */

/** The type and the size of an image. */
export interface ImageInfo {
  /** The media type. */
  readonly mimeType: 'image/png' | 'image/jpeg' | 'image/webp' | 'image/svg+xml';
  /** The width in pixels; 0 for an SVG. */
  readonly width: number;
  /** The height in pixels; 0 for an SVG. */
  readonly height: number;
  /** Whether it has several frames. */
  readonly animated: boolean;
}

/** `undefined` for other types, and for an image that ends before its size. */
export function readImage(bytes: Uint8Array): ImageInfo | undefined {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  try {
    if (textAt(view, 0, 8) === '\x89PNG\r\n\x1a\n') return readPng(view);
    if (view.getUint16(0) === 0xffd8) return readJpeg(view);
    if (textAt(view, 0, 4) === 'RIFF' && textAt(view, 8, 4) === 'WEBP') return readWebp(view);
    return readSvg(bytes);
  } catch (error) {
    if (error instanceof RangeError) return undefined;
    throw error;
  }
}

function textAt(view: DataView, at: number, length: number): string {
  let text = '';
  for (let n = at; n < at + length && n < view.byteLength; n++) text += String.fromCharCode(view.getUint8(n));
  return text;
}

function readPng(view: DataView): ImageInfo | undefined {
  if (textAt(view, 12, 4) !== 'IHDR') return undefined;
  let animated = false;
  // The chunk about animation comes before the first data.
  for (let at = 8, type = ''; type !== 'IDAT'; at += 12 + view.getUint32(at)) {
    type = textAt(view, at + 4, 4);
    animated ||= type === 'acTL';
  }
  return { mimeType: 'image/png', width: view.getUint32(16), height: view.getUint32(20), animated };
}

/** The markers that begin a frame; three in their range have another meaning. */
const isFrame = (marker: number): boolean => marker >= 0xc0 && marker <= 0xcf && ![0xc4, 0xc8, 0xcc].includes(marker);

function readJpeg(view: DataView): ImageInfo | undefined {
  for (let at = 2; view.getUint8(at) === 0xff; at += 2 + view.getUint16(at + 2)) {
    while (view.getUint8(at + 1) === 0xff) at += 1;
    if (!isFrame(view.getUint8(at + 1))) continue;
    return { mimeType: 'image/jpeg', width: view.getUint16(at + 7), height: view.getUint16(at + 5), animated: false };
  }
  return undefined;
}

const size24 = (view: DataView, at: number): number => (view.getUint8(at + 2) << 16) | view.getUint16(at, true);

function readWebp(view: DataView): ImageInfo | undefined {
  const mimeType = 'image/webp';
  switch (textAt(view, 12, 4)) {
    case 'VP8X': {
      const animated = (view.getUint8(20) & 2) !== 0;
      return { mimeType, width: size24(view, 24) + 1, height: size24(view, 27) + 1, animated };
    }
    case 'VP8L': {
      const bits = view.getUint32(21, true);
      return { mimeType, width: (bits & 0x3fff) + 1, height: ((bits >>> 14) & 0x3fff) + 1, animated: false };
    }
    case 'VP8 ': {
      const [width, height] = [view.getUint16(26, true) & 0x3fff, view.getUint16(28, true) & 0x3fff];
      return { mimeType, width, height, animated: false };
    }
    default:
      return undefined;
  }
}

/** An SVG has no magic number: its first element shows it. */
function readSvg(bytes: Uint8Array): ImageInfo | undefined {
  let head = new TextDecoder().decode(bytes.subarray(0, 4096)).trimStart();
  for (let before = ''; before !== head; ) {
    before = head;
    head = head.replace(/^<(?:\?[^>]*\?>|!--(?:[^-]|-(?!->))*-->|!DOCTYPE svg[^>[]*>)\s*/i, '');
  }
  return /^<svg[\s/>]/.test(head) ? { mimeType: 'image/svg+xml', width: 0, height: 0, animated: false } : undefined;
}
