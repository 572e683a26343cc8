import { describe, expect, it } from 'vitest';
import { jpeg, png, webp } from '../../../../test/kit/samples/images.ts';
import { readImage } from './image.ts';

const text = (words: string): Uint8Array => new TextEncoder().encode(words);
const still = { animated: false };

describe('the head of an image', () => {
  it.each([
    ['a PNG', png(48, 32), { mimeType: 'image/png', width: 48, height: 32, ...still }],
    ['a PNG that moves', png(48, 32, 9), { mimeType: 'image/png', width: 48, height: 32, animated: true }],
    ['a JPEG', jpeg(640, 480), { mimeType: 'image/jpeg', width: 640, height: 480, ...still }],
    ['a WebP', webp(7, 9), { mimeType: 'image/webp', width: 7, height: 9, ...still }],
    ['a WebP that moves', webp(7, 9, true), { mimeType: 'image/webp', width: 7, height: 9, animated: true }],
    ['a WebP without losses', webp.lossless(300, 200), { mimeType: 'image/webp', width: 300, height: 200, ...still }],
    ['a WebP with losses', webp.lossy(300, 200), { mimeType: 'image/webp', width: 300, height: 200, ...still }],
  ])('tells of %s what it is and how large', (_, bytes, facts) => {
    expect(readImage(bytes)).toEqual(facts);
    // Where it begins in memory is of no account.
    expect(readImage(new Uint8Array([0, ...bytes]).subarray(1))).toEqual(facts);
  });

  it.each([
    '<svg/>',
    '\n<svg xmlns="http://www.w3.org/2000/svg">',
    '<?xml version="1.0"?><!-- a - b -- c --> <!DOCTYPE svg PUBLIC "x" "y">\n<svg >',
  ])('is the first element where it is %s', (words) => {
    expect(readImage(text(words))?.mimeType).toBe('image/svg+xml');
  });

  it.each([
    ['nothing', new Uint8Array()],
    ['one byte', new Uint8Array([0xff])],
    ['a page', text('<html><svg/></html>')],
    ['a page behind a comment', text('<!-- <svg> --><script>')],
    ['a comment without an end', text(`<!--${'-'.repeat(5000)}`)],
    ['a GIF', text('GIF89a')],
    ['a sound in the same wrapper as WebP', text('RIFF\0\0\0\0WAVEfmt ')],
    ['a WebP of no known kind', text('RIFF\0\0\0\0WEBPVP9 \0\0\0\0')],
    ['a PNG without a head', png(1, 1).map((byte, at) => (at === 12 ? 0 : byte))],
    ['a JPEG without a frame', jpeg(1, 1).subarray(0, 9)],
    ['a JPEG that breaks off', new Uint8Array([0xff, 0xd8, 0x00, 0x00, 0x00])],
  ])('tells nothing of %s', (_, bytes) => {
    expect(readImage(bytes)).toBeUndefined();
  });

  it('tells nothing while it is not all there', () => {
    for (const whole of [png(5, 5, 2), jpeg(5, 5), webp(5, 5), webp.lossless(5, 5), webp.lossy(5, 5)]) {
      for (let length = 0; length < 24; length++) expect(readImage(whole.subarray(0, length))).toBeUndefined();
    }
  });
});
