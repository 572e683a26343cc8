/** Messages over byte streams: order, one write per turn of the event loop, backpressure, and how a pipe closes. */

import { PassThrough, Writable } from 'node:stream';
import { setImmediate as turn } from 'node:timers/promises';
import { afterEach, describe, expect, it, vi } from 'vitest';
import type { TenonError } from '../../lib/errors/tenon-error.ts';
import { createPipeTransport, type PipeTransportOptions } from './pipe-transport.ts';

/** An output that records each write, and completes it when `completeWrite` is called. */
function slowOutput() {
  const writes: string[] = [];
  let pending: (() => void) | undefined;
  const output = new Writable({
    highWaterMark: 1,
    decodeStrings: false,
    write(chunk: string, _encoding, done) {
      writes.push(chunk);
      pending = done;
    },
  });
  const completeWrite = (): void => {
    const done = pending;
    pending = undefined;
    done?.();
  };
  return { output, writes, completeWrite };
}

function opened(options: Partial<PipeTransportOptions> = {}) {
  const input = new PassThrough();
  const output = new PassThrough();
  const transport = createPipeTransport({ input, output, ...options });
  const frames: string[] = [];
  const warnings: TenonError[] = [];
  const ends: (Error | undefined)[] = [];
  transport.open({
    onMessage: (text) => void frames.push(text),
    onWarning: (error) => void warnings.push(error),
    onClose: (reason) => void ends.push(reason),
  });
  return { input, output, transport, frames, warnings, ends };
}

afterEach(() => void vi.useRealTimers());

describe('reading', () => {
  it('delivers lines in order for any chunks of bytes, and the last one without a line break', async () => {
    const { input, frames, transport } = opened();
    const bytes = Buffer.from('{"a":"ö"}\r\n\n  \n{"b":"☃"}\nlast');
    for (const byte of bytes) input.write(Buffer.of(byte));
    input.end();
    await transport.finished;
    expect(frames).toEqual(['{"a":"ö"}', '{"b":"☃"}', 'last']);
  });

  it('reports a line that is not UTF-8 and continues with the next', async () => {
    const { input, frames, warnings } = opened();
    input.write(Buffer.from([0x22, 0xc3, 0x28, 0x22, 0x0a]));
    input.write('next\n');
    await turn();
    expect(warnings.map(({ code }) => code)).toEqual(['invalid-utf8']);
    expect(frames).toEqual(['next']);
  });

  it('closes with message-too-large at a line over the limit, and delivers nothing after it', async () => {
    const { input, frames, ends, transport } = opened({ maxMessageChars: 10 });
    input.write(`short\n${'x'.repeat(11)}\nafter\n`);
    expect(await transport.finished).toMatchObject({ code: 'message-too-large' });
    input.write('later\n');
    await turn();
    expect(frames).toEqual(['short']);
    expect(ends).toMatchObject([{ code: 'message-too-large' }]);
  });

  it('counts characters, not bytes, for the limit of a line', async () => {
    const { input, frames, transport, ends } = opened({ maxMessageChars: 10 });
    input.write(`${'☃'.repeat(10)}\n${'é'.repeat(10)}\n${'☃'.repeat(11)}\n`);
    expect(await transport.finished).toMatchObject({ code: 'message-too-large' });
    expect(frames).toEqual(['☃'.repeat(10), 'é'.repeat(10)]);
    expect(ends).toHaveLength(1);
  });

  it('yields to the event loop after many lines, and continues', async () => {
    const { input, frames, transport } = opened();
    input.write('x\n'.repeat(10_000));
    await vi.waitFor(() => expect(frames).toHaveLength(10_000));
    expect(input.isPaused()).toBe(true);
    input.end('x\n'.repeat(5000));
    await transport.finished;
    expect(frames).toHaveLength(15_000);
    expect(transport.lines).toBe(15_000);
  });

  it('reports a listener that throws, and delivers the next message', async () => {
    const input = new PassThrough();
    const transport = createPipeTransport({ input, output: new PassThrough() });
    const warnings: string[] = [];
    const frames: string[] = [];
    transport.open({
      onMessage(text) {
        frames.push(text);
        if (text === 'first') throw new Error('no');
      },
      onWarning: ({ code }) => void warnings.push(code),
      onClose: () => {},
    });
    input.write('first\nsecond\n');
    await turn();
    expect(frames).toEqual(['first', 'second']);
    expect(warnings).toEqual(['callback-failed']);
  });
});

describe('writing', () => {
  it('writes everything sent in one turn of the event loop at once, in order', async () => {
    const { output, writes } = slowOutput();
    const { transport } = opened({ output });
    for (const frame of ['1', '2', '3']) transport.send(frame);
    expect(writes).toEqual([]);
    await turn();
    await turn();
    expect(writes).toEqual(['1\n2\n3\n']);
  });

  it('queues messages while the output is full, and writes them together after drain', async () => {
    const { output, writes, completeWrite } = slowOutput();
    const { transport } = opened({ output });
    transport.send('1');
    await turn();
    await turn();
    transport.send('2');
    await turn();
    transport.send('3');
    await turn();
    expect(writes).toEqual(['1\n']);
    completeWrite();
    await turn();
    expect(writes).toEqual(['1\n', '2\n3\n']);
  });

  it('stops reading while too much is queued, and resumes after it is written', async () => {
    const { output, completeWrite } = slowOutput();
    const { transport, input, frames } = opened({ output, holdBackAt: 10 });
    transport.send('x'.repeat(20));
    input.write('held\n');
    await turn();
    await turn();
    transport.send('y'.repeat(20));
    expect(input.isPaused()).toBe(true);
    input.write('back\n');
    await turn();
    const before = [...frames];
    completeWrite();
    await turn();
    completeWrite();
    await turn();
    await turn();
    expect(input.isPaused()).toBe(false);
    expect(before).not.toContain('back');
    expect(frames).toEqual(['held', 'back']);
  });

  it('closes with queue-full at once if more is queued than the limit', async () => {
    const { output, writes } = slowOutput();
    const { transport, ends } = opened({ output, maxQueuedChars: 100 });
    transport.send('first');
    await turn();
    await turn();
    transport.send('x'.repeat(90));
    expect(() => transport.send('y'.repeat(20))).toThrow(expect.objectContaining({ code: 'queue-full' }));
    expect(await transport.finished).toMatchObject({ code: 'queue-full' });
    expect(ends).toMatchObject([{ code: 'queue-full' }]);
    expect(writes).toEqual(['first\n']);
  });

  it('closes with queue-full if much is queued and nothing was written for stalledMs, and not before', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    const { output, completeWrite } = slowOutput();
    const { transport, ends } = opened({ output, maxQueuedChars: 100, stalledMs: 1000 });
    transport.send('first');
    await turn();
    transport.send('x'.repeat(10));
    await vi.advanceTimersByTimeAsync(5000);
    transport.send('x'.repeat(50));
    completeWrite();
    await turn();
    transport.send('y'.repeat(50));
    await vi.advanceTimersByTimeAsync(1000);
    expect(ends).toEqual([]);
    await vi.advanceTimersByTimeAsync(1000);
    expect(ends).toMatchObject([{ code: 'queue-full', details: { stalledMs: 1000 } }]);
  });

  it('preserves order and characters of a large queue that the output writes in pieces', async () => {
    const { output, writes, completeWrite } = slowOutput();
    const { transport } = opened({ output, flushMs: 60_000 });
    const frames = Array.from({ length: 40 }, (_, n) => `${n} ${'☃🎉x'.repeat(n * 10_000)}`);
    for (const frame of frames) transport.send(frame);
    transport.close();
    const finished = vi.fn();
    void transport.finished.then(finished);
    for (let turns = 0; finished.mock.calls.length === 0 && turns < 10_000; turns++) {
      await turn();
      completeWrite();
    }
    expect(finished).toHaveBeenCalledWith(undefined);
    expect(writes.length).toBeGreaterThan(500);
    const bytes = Buffer.concat(writes.map((piece) => Buffer.from(piece)));
    expect(bytes.toString() === frames.map((frame) => `${frame}\n`).join('')).toBe(true);
  });

  it('writes a single message that is larger than the limit of the queue', async () => {
    const { output, writes } = slowOutput();
    const { transport } = opened({ output, maxQueuedChars: 10 });
    transport.send('x'.repeat(50));
    await turn();
    await turn();
    expect(writes).toEqual([`${'x'.repeat(50)}\n`]);
  });

  it('writes messages that a listener sends, even if the streams deliver synchronously', async () => {
    const back = new PassThrough();
    const { transport: there } = opened({ output: back });
    const here = createPipeTransport({ input: back, output: new PassThrough() });
    const received: string[] = [];
    here.open({
      onMessage(text) {
        received.push(text);
        if (received.length < 3) there.send(String(received.length));
      },
      onClose: () => {},
    });
    there.send('0');
    await vi.waitFor(() => expect(received).toEqual(['0', '1', '2']));
  });
});

describe('closing', () => {
  it('writes the queue before it releases the output', async () => {
    const output = new PassThrough();
    const { transport } = opened({ output, releaseOutput: () => output.end() });
    transport.send('1');
    transport.send('2');
    transport.close();
    transport.close(new Error('a second close does nothing'));
    expect(transport.state).toBe('closed');
    expect(await transport.finished).toBeUndefined();
    expect(Buffer.concat(await output.toArray()).toString()).toBe('1\n2\n');
  });

  it('waits for the last bytes as long as some of them are written', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    const { output, completeWrite } = slowOutput();
    const { transport } = opened({ output, flushMs: 1000 });
    transport.send('x'.repeat(300_000));
    transport.close();
    const finished = vi.fn();
    void transport.finished.then(finished);
    for (let pieces = 0; pieces < 5; pieces++) {
      await vi.advanceTimersByTimeAsync(900);
      expect(finished).not.toHaveBeenCalled();
      completeWrite();
      await turn();
    }
    await turn();
    completeWrite();
    await turn();
    expect(finished).toHaveBeenCalledWith(undefined);
  });

  it('does not wait longer than flushMs for a reader that does not read', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    const { output, writes } = slowOutput();
    const release = vi.fn();
    const { transport } = opened({ output, releaseOutput: release });
    transport.send('1');
    transport.close();
    expect(release).not.toHaveBeenCalled();
    await vi.advanceTimersByTimeAsync(1000);
    expect(await transport.finished).toMatchObject({ code: 'connection-closed', details: { flushMs: 1000 } });
    expect(release).toHaveBeenCalledOnce();
    expect(writes).toEqual(['1\n']);
  });

  it.each(['EPIPE', 'ECONNRESET'])('handles %s as a disconnect of the other side', async (code) => {
    const output = new Writable({ write: (_chunk, _encoding, done) => done(Object.assign(new Error(code), { code })) });
    const { transport, ends } = opened({ output });
    transport.send('1');
    expect(await transport.finished).toBeUndefined();
    expect(ends).toEqual([undefined]);
    expect(() => transport.send('2')).toThrow(expect.objectContaining({ code: 'connection-closed' }));
  });

  it('calls onOutputEnd when nothing more can be written, and drops what is sent', async () => {
    const output = new Writable({
      write: (_chunk, _encoding, done) => done(Object.assign(new Error('EPIPE'), { code: 'EPIPE' })),
    });
    const outputEnded = vi.fn();
    const { transport, input, frames } = opened({ output, onOutputEnd: outputEnded });
    transport.send('1');
    await vi.waitFor(() => expect(outputEnded).toHaveBeenCalledOnce());
    transport.send('2');
    input.write('still received\n');
    await vi.waitFor(() => expect(frames).toEqual(['still received']));
    expect(transport.state).toBe('open');
    transport.close();
    expect(await transport.finished).toBeUndefined();
  });

  it('handles the error of the output even if the last bytes cannot be written', async () => {
    const output = new Writable({
      write: (_chunk, _encoding, done) => void setImmediate(done, Object.assign(new Error('EPIPE'), { code: 'EPIPE' })),
    });
    const emitted = new Promise((resolve) => output.prependListener('error', resolve));
    const before = output.listenerCount('error');
    const { transport } = opened({ output });
    transport.send('1');
    transport.close();
    await transport.finished;
    expect(await emitted).toMatchObject({ code: 'EPIPE' });
    expect(output.listenerCount('error')).toBe(before + 1);
  });

  it('closes with the error of a stream as the cause', async () => {
    const { transport, input, ends } = opened();
    input.destroy(new Error('disk failure'));
    expect(await transport.finished).toMatchObject({ code: 'connection-closed' });
    expect(ends).toMatchObject([{ code: 'connection-closed', cause: { message: 'disk failure' } }]);
  });

  it('closes when its input is destroyed without an error', async () => {
    const { transport, input, ends } = opened();
    input.destroy();
    expect(await transport.finished).toBeUndefined();
    expect(ends).toEqual([undefined]);
  });

  it('calls onInputEnd at the end of input, and can still send', async () => {
    const output = new PassThrough();
    const inputEnded = vi.fn(() => transport.send('answer'));
    const { transport, input } = opened({ output, onInputEnd: inputEnded });
    input.end();
    await vi.waitFor(() => expect(inputEnded).toHaveBeenCalledOnce());
    expect(transport.state).toBe('open');
    transport.close();
    await transport.finished;
    expect(output.read()?.toString()).toBe('answer\n');
  });

  it('discards further input, so that the stream ends', async () => {
    const { transport, input, frames } = opened();
    transport.close();
    input.write('x'.repeat(1_000_000));
    input.end('\nlast\n');
    await new Promise((resolve) => input.once('end', resolve));
    expect(frames).toEqual([]);
  });

  it('leaves no listeners on the streams', async () => {
    const input = new PassThrough();
    const output = new PassThrough();
    const count = (): number =>
      [input, output]
        .flatMap((each) => each.eventNames().map((name) => each.listenerCount(name)))
        .reduce((a, b) => a + b, 0);
    const before = count();
    const { transport } = opened({ input, output });
    expect(count()).toBeGreaterThan(before);
    transport.close();
    await transport.finished;
    expect(count()).toBe(before);
  });

  it('opens once, and not after it has closed', async () => {
    const { transport } = opened();
    const listener = { onMessage: () => {}, onClose: () => {} };
    expect(() => transport.open(listener)).toThrow(expect.objectContaining({ code: 'already-open' }));
    transport.close();
    expect(() => transport.open(listener)).toThrow(expect.objectContaining({ code: 'connection-closed' }));
  });
});
