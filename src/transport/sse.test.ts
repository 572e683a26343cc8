import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { createEventReader, type EventReaderOptions, formatComment, formatEvent } from './sse.ts';

const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);

function readerWithLog(options: Partial<EventReaderOptions> = {}) {
  const log: unknown[] = [];
  const reader = createEventReader({
    event: (event) => log.push(event),
    onWarning: (error) => log.push(error.code),
    ...options,
  });
  return { reader, log };
}

describe('writing', () => {
  test('an event has its fields, its data line by line, and a blank line', () => {
    expect(formatEvent({ data: '{}' })).toBe('data: {}\n\n');
    expect(formatEvent({ data: 'a\nb\r\nc\rd', event: 'message', id: '7', retry: 0 })).toBe(
      'id: 7\nevent: message\nretry: 0\ndata: a\ndata: b\ndata: c\ndata: d\n\n',
    );
    expect(formatEvent({ data: '', id: '' })).toBe('id: \ndata: \n\n');
  });

  test('a comment is marked on each of its lines', () => {
    expect(formatComment('still\r\nhere')).toBe(': still\n: here\n\n');
  });

  test.each([
    { data: '', id: 'a\nb' },
    { data: '', id: 'a\rb' },
    { data: '', id: 'a\0b' },
    { data: '', event: 'a\ndata: forged' },
    { data: '', event: '\0' },
    { data: '', retry: -1 },
    { data: '', retry: 1.5 },
    { data: '', retry: Number.NaN },
  ])('a field that the format cannot carry is refused: %j', (event) => {
    expect(() => formatEvent(event)).toThrow(expect.objectContaining({ code: 'invalid-outgoing-message' }));
  });
});

describe('reading', () => {
  test('fields, comments and retry reach those who listen', () => {
    const { reader, log } = readerWithLog({
      comment: (text) => log.push(`comment ${text}`),
      retry: (ms) => log.push(`retry ${ms}`),
    });
    reader.push(': hello\nid: 1\nevent: greeting\nretry: 250\ndata: a\ndata:b\n\ndata\n\n');
    expect(log).toEqual(['comment hello', 'retry 250', { data: 'a\nb', event: 'greeting', id: '1' }, { data: '' }]);
  });

  test('the last event id stays until another comes', () => {
    const { reader } = readerWithLog();
    expect(reader.lastEventId).toBe('');
    reader.push('id: 1\ndata: a\n\ndata: b\n\n');
    expect(reader.lastEventId).toBe('1');
    reader.push('id: 2\ndata: c\n');
    expect(reader.lastEventId).toBe('1');
    reader.push('\n');
    expect(reader.lastEventId).toBe('2');
    reader.push('id\ndata: d\n\n');
    expect(reader.lastEventId).toBe('');
  });

  test('an event ended by bare CRs is delivered at once', () => {
    const { reader, log } = readerWithLog();
    reader.push('data: a\r\r');
    expect(log).toEqual([{ data: 'a' }]);
  });

  test('a CRLF cut in two is one line end', () => {
    const { reader, log } = readerWithLog();
    for (const part of ['data: a\r', '\n', 'data: b\r', '\n', '\r', '\n', 'data: c\n\n']) reader.push(part);
    expect(log).toEqual([{ data: 'a\nb' }, { data: 'c' }]);
    for (const part of ['data: d\r', '\n', '\n']) reader.push(part);
    expect(log.at(-1)).toEqual({ data: 'd' });
  });

  test('a byte order mark at the start is dropped, as text and as bytes', () => {
    for (const chunk of ['\uFEFFdata: a\n\n', bytes('\uFEFFdata: a\n\n')]) {
      const { reader, log } = readerWithLog();
      reader.push(chunk);
      expect(log).toEqual([{ data: 'a' }]);
    }
  });

  test('an event that the stream ends in is dropped, and nothing is read after the end', () => {
    const { reader, log } = readerWithLog();
    reader.push('id: 1\ndata: a\n\nid: 2\ndata: b\n');
    reader.end();
    reader.push('\ndata: c\n\n');
    expect(log).toEqual([{ data: 'a', id: '1' }]);
    expect(reader.lastEventId).toBe('1');
  });

  test('a reader ended by its own listener delivers nothing more of the chunk', () => {
    const { reader, log } = readerWithLog({
      event(event) {
        log.push(event.data);
        reader.end();
      },
    });
    reader.push('data: a\n\ndata: b\n\n');
    expect(log).toEqual(['a']);
  });

  test('a line that means nothing is a warning and the event around it is read', () => {
    const { reader, log } = readerWithLog();
    reader.push('data: a\nretry: soon\n<html>\n\n');
    expect(log).toEqual(['invalid-message', 'invalid-message', { data: 'a' }]);
  });
});

describe('the limit', () => {
  test('an event of exactly the limit passes; one byte more is one warning and the next event is read', () => {
    const { reader, log } = readerWithLog({ maxBytes: 'data: 1234\n\n'.length });
    reader.push('data: 1234\n\ndata: 12345\n\ndata: 5\n\n');
    expect(log).toEqual([{ data: '1234' }, 'message-too-large', { data: '5' }]);
  });

  test('the limit counts bytes, not characters', () => {
    const { reader, log } = readerWithLog({ maxBytes: 12 });
    reader.push(bytes('data: éé\n\ndata: 😀\n\ndata: ééx\n\n'));
    expect(log).toEqual([{ data: 'éé' }, { data: '😀' }, 'message-too-large']);
  });

  test('an endless line is reported as soon as it passes the limit, once', () => {
    const { reader, log } = readerWithLog({ maxBytes: 20 });
    for (let more = 0; more < 3; more += 1) reader.push('data: 7');
    expect(log).toEqual(['message-too-large']);
    for (let more = 0; more < 100; more += 1) reader.push('data: 7\n');
    reader.push('\ndata: ok\n\n');
    expect(log).toEqual(['message-too-large', { data: 'ok' }]);
  });

  test('an event of many small data lines is refused too, however it is cut', () => {
    const text = `id: 9\n${'data:\n'.repeat(100)}\ndata: ok\n\n`;
    for (const parts of [[text], [...text], text.split(/(?<=\n)/)]) {
      const { reader, log } = readerWithLog({ maxBytes: 300 });
      for (const part of parts) reader.push(part);
      expect(log).toEqual(['message-too-large', { data: 'ok' }]);
      expect(reader.lastEventId).toBe('');
    }
  });
});

const everywhere = Array.from({ length: 2000 }, (_, at) => at);
const places = fc.oneof(fc.array(fc.nat(10_000), { maxLength: 40 }), fc.constant(everywhere));
const dataText = fc.oneof(
  fc.string({ unit: 'grapheme' }),
  fc
    .array(fc.constantFrom('\n', '\r', '\r\n', ' ', ':', 'data: ', 'é', '😀', '\0', '\u2028', '\uFEFF'))
    .map((all) => all.join('')),
);
const oneLineText = fc.string({ unit: 'grapheme' }).map((text) => text.replaceAll(/[\r\n\0]/g, ' '));
const anyEvent = fc.record(
  { data: dataText, id: oneLineText, event: oneLineText.filter((text) => text !== '') },
  { requiredKeys: ['data'] },
);

function cut(whole: Uint8Array, places: readonly number[]): Uint8Array[] {
  const edges = [...new Set(places.map((place) => place % (whole.length + 1)))].toSorted((a, b) => a - b);
  return [0, ...edges].map((start, index) => whole.subarray(start, edges[index] ?? whole.length));
}

describe('any chunking', () => {
  test('any events, with any mix of line ends, in any chunks, are read as they were written', () => {
    const lineEnds = fc.array(fc.constantFrom('\n', '\r', '\r\n'), { minLength: 1, maxLength: 7 });
    fc.assert(
      fc.property(fc.array(anyEvent, { maxLength: 8 }), lineEnds, places, (events, lineEnds, places) => {
        let line = 0;
        const stream = events.map((event) => `${formatEvent(event)}${formatComment('tick')}`).join('');
        // A CR followed by an LF would read as one line end, so a blank line keeps the style of the line before it.
        const mixed = stream.replaceAll(/\n+/g, (run) =>
          (lineEnds[line++ % lineEnds.length] ?? '\n').repeat(run.length),
        );
        const { reader, log } = readerWithLog();
        for (const chunk of cut(bytes(mixed), places)) reader.push(chunk);
        const expected = events.map((event) => ({ ...event, data: event.data.replaceAll(/\r\n?/g, '\n') }));
        expect(log).toEqual(expected);
        expect(reader.lastEventId).toBe(events.findLast((event) => event.id !== undefined)?.id ?? '');
      }),
      { seed: 7, numRuns: 500 },
    );
  });

  test('any text gives the same events and warnings in any chunks as in one, within the limit', () => {
    const part = fc.constantFrom(
      'data: x',
      'data',
      'id: 1',
      ': c',
      'odd',
      'retry: z',
      '\n',
      '\n',
      '\r',
      '\r\n',
      '\n\n',
      'é😀',
    );
    fc.assert(
      fc.property(fc.array(part, { maxLength: 60 }), places, (parts, places) => {
        const whole = bytes(parts.join(''));
        const once = readerWithLog({ maxBytes: 24 });
        once.reader.push(whole);
        const parted = readerWithLog({ maxBytes: 24 });
        for (const chunk of cut(whole, places)) parted.reader.push(chunk);
        // How many lines of an event over the limit are looked at depends on where it is cut.
        const events = (log: unknown[]): unknown[] => log.filter((entry) => entry !== 'invalid-message');
        expect(events(parted.log)).toEqual(events(once.log));
      }),
      { seed: 7, numRuns: 1000 },
    );
  });
});
