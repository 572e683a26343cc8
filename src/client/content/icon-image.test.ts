/** The type and size of an image, read from its header. */
import { describe, expect, it } from 'vitest';
import { jpeg, png, webp } from '../../../test/kit/samples/images.ts';
import { readImage } from './icon-image.ts';

const text = (words: string): Uint8Array => new TextEncoder().encode(words);
const still = { animated: false };

describe('readImage', () => {
  it.each([
    ['a PNG', png(48, 32), { mimeType: 'image/png', width: 48, height: 32, ...still }],
    ['an animated PNG', png(48, 32, 9), { mimeType: 'image/png', width: 48, height: 32, animated: true }],
    ['a JPEG', jpeg(640, 480), { mimeType: 'image/jpeg', width: 640, height: 480, ...still }],
    ['a WebP', webp(7, 9), { mimeType: 'image/webp', width: 7, height: 9, ...still }],
    ['an animated WebP', webp(7, 9, true), { mimeType: 'image/webp', width: 7, height: 9, animated: true }],
    ['a lossless WebP', webp.lossless(300, 200), { mimeType: 'image/webp', width: 300, height: 200, ...still }],
    ['a lossy WebP', webp.lossy(300, 200), { mimeType: 'image/webp', width: 300, height: 200, ...still }],
  ])('returns the type and the size of %s', (_, bytes, image) => {
    expect(readImage(bytes)).toEqual(image);
    // The offset in its buffer does not matter.
    expect(readImage(new Uint8Array([0, ...bytes]).subarray(1))).toEqual(image);
  });

  it.each([
    '<svg/>',
    '\n<svg xmlns="http://www.w3.org/2000/svg">',
    '<?xml version="1.0"?><!-- a - b -- c --> <!DOCTYPE svg PUBLIC "x" "y">\n<svg >',
  ])('detects an SVG that begins with %s', (words) => {
    expect(readImage(text(words))?.mimeType).toBe('image/svg+xml');
  });

  it.each([
    ['nothing', new Uint8Array()],
    ['one byte', new Uint8Array([0xff])],
    ['an HTML page', text('<html><svg/></html>')],
    ['an HTML page after a comment', text('<!-- <svg> --><script>')],
    ['an unclosed comment', text(`<!--${'-'.repeat(5000)}`)],
    ['a GIF', text('GIF89a')],
    ['a WAV file, which is RIFF as WebP is', text('RIFF\0\0\0\0WAVEfmt ')],
    ['a WebP of an unknown format', text('RIFF\0\0\0\0WEBPVP9 \0\0\0\0')],
    ['a PNG without a header', png(1, 1).map((byte, at) => (at === 12 ? 0 : byte))],
    ['a JPEG without a frame', jpeg(1, 1).subarray(0, 9)],
    ['a truncated JPEG', new Uint8Array([0xff, 0xd8, 0x00, 0x00, 0x00])],
  ])('returns undefined for %s', (_, bytes) => {
    expect(readImage(bytes)).toBeUndefined();
  });

  it('returns undefined for a truncated header', () => {
    for (const whole of [png(5, 5, 2), jpeg(5, 5), webp(5, 5), webp.lossless(5, 5), webp.lossy(5, 5)]) {
      for (let length = 0; length < 24; length++) expect(readImage(whole.subarray(0, length))).toBeUndefined();
    }
  });
});
