/** The headers of images, byte by byte: enough to read their size without decoding them. */

const ascii = (text: string): number[] => [...text].map((character) => character.charCodeAt(0));
const big = (value: number, bytes: number): number[] =>
  Array.from({ length: bytes }, (_, at) => Math.floor(value / 256 ** (bytes - 1 - at)) % 256);
const little = (value: number, bytes: number): number[] => big(value, bytes).reverse();

const chunk = (type: string, data: number[]): number[] => [
  ...big(data.length, 4),
  ...ascii(type),
  ...data,
  ...big(0, 4),
];

/** A PNG. An animated one has its frame count before the first image data. */
export const png = (width: number, height: number, frames = 0): Uint8Array<ArrayBuffer> =>
  new Uint8Array([
    ...big(0x89504e47, 4),
    ...big(0x0d0a1a0a, 4),
    ...chunk('IHDR', [...big(width, 4), ...big(height, 4), 8, 6, 0, 0, 0]),
    ...(frames === 0 ? [] : chunk('acTL', [...big(frames, 4), ...big(0, 4)])),
    ...chunk('IDAT', []),
  ]);

const segment = (marker: number, data: number[]): number[] => [...big(marker, 2), ...big(data.length + 2, 2), ...data];

/** A JPEG with an application segment, padding and a table before its frame. */
export const jpeg = (width: number, height: number): Uint8Array<ArrayBuffer> =>
  new Uint8Array([
    ...big(0xffd8, 2),
    ...segment(0xffe0, ascii('JFIF')),
    0xff,
    ...segment(0xffc4, [0]),
    ...segment(0xffc2, [8, ...big(height, 2), ...big(width, 2), 1]),
  ]);

const riff = (type: string, data: number[]): Uint8Array<ArrayBuffer> =>
  new Uint8Array([...ascii('RIFF'), ...big(0, 4), ...ascii(`WEBP${type}`), ...little(data.length, 4), ...data]);

const extended = (width: number, height: number, animated = false): Uint8Array<ArrayBuffer> =>
  riff('VP8X', [animated ? 2 : 0, 0, 0, 0, ...little(width - 1, 3), ...little(height - 1, 3)]);

export const webp = Object.assign(extended, {
  lossless: (width: number, height: number) =>
    riff('VP8L', [0x2f, ...little((width - 1) | ((height - 1) << 14), 4), 0, 0, 0]),
  lossy: (width: number, height: number) =>
    riff('VP8 ', [0, 0, 0, 0x9d, 0x01, 0x2a, ...little(width, 2), ...little(height, 2)]),
});
