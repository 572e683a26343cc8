import * as fc from 'fast-check';
import { describe, expect, test, vi } from 'vitest';
import { createLineReader, type LineReaderOptions } from './lines.ts';

const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);

function readerWithLog(options: Partial<LineReaderOptions> = {}) {
  const log: string[] = [];
  const reader = createLineReader({
    line: (text) => log.push(text),
    onWarning: (error) => log.push(`warning ${error.code}`),
    ...options,
  });
  return { reader, log };
}

describe('reading lines', () => {
  test('many lines in one chunk, CRLF, blank lines and a last line without newline are all read', () => {
    const { reader, log } = readerWithLog();
    reader.push(bytes('{"a":1}\n\n  \t\r\n\r\n{"b":2}\r\n{"c":3}\n{"d":4}'));
    expect(log).toEqual(['{"a":1}', '{"b":2}', '{"c":3}']);
    reader.end();
    expect(log).toEqual(['{"a":1}', '{"b":2}', '{"c":3}', '{"d":4}']);
  });

  test('blank lines are delivered apart, without their line ends, where they are wanted', () => {
    const { reader, log } = readerWithLog({ blankLine: (text) => log.push(`blank <${text}>`) });
    reader.push(bytes('\n1\n\r\n'));
    reader.push(bytes(' '));
    reader.push(bytes('\t\n2\n '));
    reader.end();
    expect(log).toEqual(['blank <>', '1', 'blank <>', 'blank < \t>', '2', 'blank < >']);
  });

  test('an end without a partial line reports nothing, and bytes after the end are ignored', () => {
    const { reader, log } = readerWithLog();
    reader.push(bytes('1\n'));
    reader.end();
    reader.end();
    reader.push(bytes('2\n'));
    expect(log).toEqual(['1']);
  });

  test('a reader ended by its own listener delivers nothing more of the chunk', () => {
    const { reader, log } = readerWithLog({
      line(text) {
        log.push(text);
        if (text === '2') reader.end();
      },
    });
    reader.push(bytes('1\n2\n3\n4'));
    expect(log).toEqual(['1', '2']);
  });

  test('a line of exactly the limit passes; one byte more is one warning and the next line is read', () => {
    const { reader, log } = readerWithLog({ maxBytes: 4 });
    reader.push(bytes('1234\n12345\n5\n'));
    expect(log).toEqual(['1234', 'warning message-too-large', '5']);
  });

  test('the limit counts bytes, not characters', () => {
    const { reader, log } = readerWithLog({ maxBytes: 4 });
    reader.push(bytes('éé\nééé\n'));
    expect(log).toEqual(['éé', 'warning message-too-large']);
  });

  test('a line over the limit is reported as soon as it passes it, once, before its newline', () => {
    const { reader, log } = readerWithLog({ maxBytes: 4 });
    reader.push(bytes('123'));
    expect(log).toEqual([]);
    reader.push(bytes('45'));
    expect(log).toEqual(['warning message-too-large']);
    for (let more = 0; more < 100; more += 1) reader.push(bytes('67890'));
    reader.push(bytes('\nok\n'));
    expect(log).toEqual(['warning message-too-large', 'ok']);
  });

  test('an end in the middle of a line over the limit delivers nothing of it', () => {
    const { reader, log } = readerWithLog({ maxBytes: 4 });
    reader.push(bytes('1234567'));
    reader.end();
    expect(log).toEqual(['warning message-too-large']);
  });

  test('bytes that are not UTF-8 are a warning for their line only', () => {
    const { reader, log } = readerWithLog();
    reader.push(Uint8Array.from([0x31, 0x0a, 0xff, 0x22, 0x0a, 0xc3, 0x0a, 0x32, 0x0a, 0xf0, 0x9f]));
    reader.end();
    expect(log).toEqual(['1', 'warning invalid-utf8', 'warning invalid-utf8', '2', 'warning invalid-utf8']);
  });

  test('the whole lines of a chunk reach the decoder together, as a view on that chunk', () => {
    const chunk = bytes('one\ntwo\r\nthree\nrest');
    const seen: boolean[] = [];
    const { reader, log } = readerWithLog({
      decode(lines) {
        seen.push(lines.buffer === chunk.buffer);
        return new TextDecoder().decode(lines);
      },
    });
    reader.push(chunk);
    expect([seen, log]).toEqual([[true], ['one', 'two', 'three']]);
  });

  test('one line among others that is not UTF-8 takes none of them with it', () => {
    const { reader, log } = readerWithLog();
    reader.push(Uint8Array.from([0x31, 0x0a, 0x32, 0x0a, 0xff, 0x0a, 0x33, 0x0a]));
    expect(log).toEqual(['1', '2', 'warning invalid-utf8', '3']);
  });

  test('a byte order mark is dropped where the stream begins, and nowhere else', () => {
    const { reader, log } = readerWithLog();
    for (const byte of bytes('\ufeff1\n\ufeff2\n')) reader.push(Uint8Array.of(byte));
    reader.push(bytes('\ufeff3\n4\n'));
    expect(log).toEqual(['1', '\ufeff2', '\ufeff3', '4']);
  });

  test('a byte order mark behind a first line that was dropped stays', () => {
    const tooLong = readerWithLog({ maxBytes: 4 });
    tooLong.reader.push(bytes('12345\n\ufeff2\n'));
    expect(tooLong.log).toEqual(['warning message-too-large', '\ufeff2']);
    const notText = readerWithLog();
    notText.reader.push(Uint8Array.from([0xff, 0x0a, ...bytes('\ufeff2\n')]));
    expect(notText.log).toEqual(['warning invalid-utf8', '\ufeff2']);
  });

  test('a byte order mark is dropped also where a later line of its chunk is not UTF-8', () => {
    const { reader, log } = readerWithLog();
    reader.push(Uint8Array.from([...bytes('\ufeff1\n'), 0xff, 0x0a]));
    expect(log).toEqual(['1', 'warning invalid-utf8']);
  });

  test('a part of a byte order mark is a line that is not UTF-8', () => {
    const { reader, log } = readerWithLog();
    reader.push(Uint8Array.of(0xef, 0xbb));
    reader.end();
    expect(log).toEqual(['warning invalid-utf8']);
  });
});

/** Cuts bytes at the given places, wherever that falls in a character. */
function cut(whole: Uint8Array, places: readonly number[]): Uint8Array[] {
  const edges = [...new Set(places.map((place) => place % (whole.length + 1)))].toSorted((a, b) => a - b);
  return [0, ...edges].map((start, index) => whole.subarray(start, edges[index] ?? whole.length));
}

const everywhere = Array.from({ length: 2000 }, (_, at) => at);
const places = fc.oneof(fc.array(fc.nat(10_000), { maxLength: 40 }), fc.constant(everywhere));
const awkward = fc.oneof(fc.jsonValue(), fc.string({ unit: 'grapheme' }), fc.string({ unit: 'binary' }));

describe('any chunking', () => {
  test('any values in any chunks, with LF or CRLF, are the lines that were written [s-stdio-02] [e-stdio-01]', () => {
    fc.assert(
      fc.property(fc.array(awkward), fc.constantFrom('\n', '\r\n'), places, (values, lineEnd, places) => {
        const texts = values.map((value) => JSON.stringify(value));
        const { reader, log } = readerWithLog();
        const stream = texts.map((text) => `${text}${lineEnd}`).join('');
        for (const chunk of cut(bytes(stream), places)) reader.push(chunk);
        expect(log).toEqual(texts);
      }),
      { seed: 7, numRuns: 500 },
    );
  });

  test('any bytes at all give the same lines and warnings in any chunks as in one, within the limit', () => {
    const byte = fc.oneof(fc.constantFrom(0x0a, 0x0d, 0x20, 0x41, 0xc3, 0xa9, 0xef, 0xbb, 0xbf), fc.nat(255));
    fc.assert(
      fc.property(fc.array(byte, { maxLength: 300 }), places, (raw, places) => {
        const whole = Uint8Array.from(raw);
        const sizes: number[] = [];
        const decode = (line: Uint8Array): string => {
          sizes.push(line.length);
          return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(line);
        };
        const once = readerWithLog({ maxBytes: 7 });
        once.reader.push(whole);
        once.reader.end();
        const parted = readerWithLog({ maxBytes: 7, decode });
        for (const chunk of cut(whole, places)) parted.reader.push(chunk);
        parted.reader.end();
        expect(parted.log).toEqual(once.log);
        expect(Math.max(0, ...sizes)).toBeLessThanOrEqual(7);
      }),
      { seed: 7, numRuns: 1000 },
    );
  });

  test('each byte is looked at no more than twice and decoded once, however finely the stream is cut', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 5000 }), fc.integer({ min: 1, max: 64 }), (length, step) => {
        const stream = bytes(`${'é'.repeat(length)}\n${'x'.repeat(length)}\n`);
        let scanned = 0;
        let decoded = 0;
        class CountedBytes extends Uint8Array {
          override lastIndexOf(sought: number): number {
            const at = super.lastIndexOf(sought);
            scanned += this.length - at;
            return at;
          }

          override indexOf(sought: number, from = 0): number {
            const at = super.indexOf(sought, from);
            scanned += (at === -1 ? this.length : at + 1) - from;
            return at;
          }
        }
        const { reader } = readerWithLog({
          decode(line) {
            decoded += line.length;
            return '';
          },
        });
        for (let at = 0; at < stream.length; at += step) reader.push(new CountedBytes(stream.subarray(at, at + step)));
        expect(scanned).toBeLessThanOrEqual(2 * stream.length + Math.ceil(stream.length / step));
        expect(decoded).toBeLessThan(stream.length);
        expect(decoded).toBeGreaterThanOrEqual(stream.length - 2);
      }),
      { seed: 7, numRuns: 60 },
    );
  });

  test('bytes copied while a line drips in byte by byte stay within fourteen times its length', () => {
    const length = 20_000;
    const set = vi.spyOn(Uint8Array.prototype, 'set');
    try {
      const { reader, log } = readerWithLog();
      for (let at = 0; at < length; at += 1) reader.push(bytes('x'));
      reader.push(bytes('\n'));
      const copied = set.mock.calls.reduce((sum, [source]) => sum + source.length, 0);
      expect(log).toEqual(['x'.repeat(length)]);
      expect(copied).toBeGreaterThanOrEqual(length - 1);
      expect(copied).toBeLessThan(14 * length);
    } finally {
      set.mockRestore();
    }
  });
});
