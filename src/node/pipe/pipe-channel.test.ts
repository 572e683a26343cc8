/** Frames over byte streams: order, one write a turn, backpressure, and every way in which a pipe ends. */

import { PassThrough, Writable } from 'node:stream';
import { setImmediate as turn } from 'node:timers/promises';
import { afterEach, describe, expect, it, vi } from 'vitest';
import type { TenonError } from '../../jsonrpc/errors.ts';
import { createPipeChannel, type PipeChannelOptions } from './pipe-channel.ts';

/** An output that remembers each write, and takes the next only when it is let. */
function stubbornOutput() {
  const writes: string[] = [];
  let go: (() => void) | undefined;
  const output = new Writable({
    highWaterMark: 1,
    decodeStrings: false,
    write(chunk: string, _encoding, done) {
      writes.push(chunk);
      go = done;
    },
  });
  const letGo = (): void => {
    const done = go;
    go = undefined;
    done?.();
  };
  return { output, writes, letGo };
}

function opened(options: Partial<PipeChannelOptions> = {}) {
  const input = new PassThrough();
  const output = new PassThrough();
  const channel = createPipeChannel({ input, output, ...options });
  const frames: string[] = [];
  const faults: TenonError[] = [];
  const ends: (Error | undefined)[] = [];
  channel.open({
    onMessage: (text) => void frames.push(text),
    onWarning: (error) => void faults.push(error),
    onClose: (reason) => void ends.push(reason),
  });
  return { input, output, channel, frames, faults, ends };
}

afterEach(() => void vi.useRealTimers());

describe('reading', () => {
  it('delivers lines in order, however the bytes are cut, and the last without a line end', async () => {
    const { input, frames, channel } = opened();
    const bytes = Buffer.from('{"a":"ö"}\r\n\n  \n{"b":"☃"}\nlast');
    for (const byte of bytes) input.write(Buffer.of(byte));
    input.end();
    await channel.finished;
    expect(frames).toEqual(['{"a":"ö"}', '{"b":"☃"}', 'last']);
  });

  it('tells of a line that is not UTF-8 and goes on with the next', async () => {
    const { input, frames, faults } = opened();
    input.write(Buffer.from([0x22, 0xc3, 0x28, 0x22, 0x0a]));
    input.write('next\n');
    await turn();
    expect(faults.map(({ code }) => code)).toEqual(['invalid-utf8']);
    expect(frames).toEqual(['next']);
  });

  it('ends with message-too-large at a line over the limit, and delivers nothing that comes after it', async () => {
    const { input, frames, ends, channel } = opened({ maxMessageChars: 10 });
    input.write(`short\n${'x'.repeat(11)}\nafter\n`);
    expect(await channel.finished).toMatchObject({ code: 'message-too-large' });
    input.write('later\n');
    await turn();
    expect(frames).toEqual(['short']);
    expect(ends).toMatchObject([{ code: 'message-too-large' }]);
  });

  it('reads every line that may be sent, however many bytes its characters have', async () => {
    const { input, frames, channel, ends } = opened({ maxMessageChars: 10 });
    input.write(`${'☃'.repeat(10)}\n${'é'.repeat(10)}\n${'☃'.repeat(11)}\n`);
    expect(await channel.finished).toMatchObject({ code: 'message-too-large' });
    expect(frames).toEqual(['☃'.repeat(10), 'é'.repeat(10)]);
    expect(ends).toHaveLength(1);
  });

  it('lets others have a turn after many lines, and goes on', async () => {
    const { input, frames, channel } = opened();
    input.write('x\n'.repeat(10_000));
    await vi.waitFor(() => expect(frames).toHaveLength(10_000));
    expect(input.isPaused()).toBe(true);
    input.end('x\n'.repeat(5000));
    await channel.finished;
    expect(frames).toHaveLength(15_000);
    expect(channel.lines).toBe(15_000);
  });

  it('holds a listener that throws to blame for that frame alone', async () => {
    const input = new PassThrough();
    const channel = createPipeChannel({ input, output: new PassThrough() });
    const faults: string[] = [];
    const frames: string[] = [];
    channel.open({
      onMessage(text) {
        frames.push(text);
        if (text === 'first') throw new Error('no');
      },
      onWarning: ({ code }) => void faults.push(code),
      onClose: () => {},
    });
    input.write('first\nsecond\n');
    await turn();
    expect(frames).toEqual(['first', 'second']);
    expect(faults).toEqual(['callback-failed']);
  });
});

describe('writing', () => {
  it('writes all that is sent in one turn of the loop at once, in order', async () => {
    const { output, writes } = stubbornOutput();
    const { channel } = opened({ output });
    for (const frame of ['1', '2', '3']) channel.send(frame);
    expect(writes).toEqual([]);
    await turn();
    await turn();
    expect(writes).toEqual(['1\n2\n3\n']);
  });

  it('lets what is sent wait while the output is full, and writes it together when that drains', async () => {
    const { output, writes, letGo } = stubbornOutput();
    const { channel } = opened({ output });
    channel.send('1');
    await turn();
    await turn();
    channel.send('2');
    await turn();
    channel.send('3');
    await turn();
    expect(writes).toEqual(['1\n']);
    letGo();
    await turn();
    expect(writes).toEqual(['1\n', '2\n3\n']);
  });

  it('stops reading while too much waits, and goes on when it has left', async () => {
    const { output, letGo } = stubbornOutput();
    const { channel, input, frames } = opened({ output, holdBackAt: 10 });
    channel.send('x'.repeat(20));
    input.write('held\n');
    await turn();
    await turn();
    channel.send('y'.repeat(20));
    expect(input.isPaused()).toBe(true);
    input.write('back\n');
    await turn();
    const before = [...frames];
    letGo();
    await turn();
    letGo();
    await turn();
    await turn();
    expect(input.isPaused()).toBe(false);
    expect(before).not.toContain('back');
    expect(frames).toEqual(['held', 'back']);
  });

  it('ends with queue-full where more waits than may, at once, since the other side does not read', async () => {
    const { output, writes } = stubbornOutput();
    const { channel, ends } = opened({ output, maxQueuedChars: 100 });
    channel.send('first');
    await turn();
    await turn();
    channel.send('x'.repeat(90));
    expect(() => channel.send('y'.repeat(20))).toThrow(expect.objectContaining({ code: 'queue-full' }));
    expect(await channel.finished).toMatchObject({ code: 'queue-full' });
    expect(ends).toMatchObject([{ code: 'queue-full' }]);
    expect(writes).toEqual(['first\n']);
  });

  it('ends with queue-full where much waits and nothing was taken for long, and not before', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    const { output, letGo } = stubbornOutput();
    const { channel, ends } = opened({ output, maxQueuedChars: 100, stalledMs: 1000 });
    channel.send('first');
    await turn();
    channel.send('x'.repeat(10));
    await vi.advanceTimersByTimeAsync(5000);
    channel.send('x'.repeat(50));
    letGo();
    await turn();
    channel.send('y'.repeat(50));
    await vi.advanceTimersByTimeAsync(1000);
    expect(ends).toEqual([]);
    await vi.advanceTimersByTimeAsync(1000);
    expect(ends).toMatchObject([{ code: 'queue-full', details: { stalledMs: 1000 } }]);
  });

  it('keeps the order and every character of much that waits, where the output takes it piece by piece', async () => {
    const { output, writes, letGo } = stubbornOutput();
    const { channel } = opened({ output });
    const frames = Array.from({ length: 40 }, (_, n) => `${n} ${'☃🎉x'.repeat(n * 10_000)}`);
    for (const frame of frames) channel.send(frame);
    channel.close();
    const finished = vi.fn();
    void channel.finished.then(finished);
    for (let turns = 0; finished.mock.calls.length === 0 && turns < 10_000; turns++) {
      await turn();
      letGo();
    }
    expect(finished).toHaveBeenCalledWith(undefined);
    expect(writes.length).toBeGreaterThan(500);
    const bytes = Buffer.concat(writes.map((piece) => Buffer.from(piece)));
    expect(bytes.toString() === frames.map((frame) => `${frame}\n`).join('')).toBe(true);
  });

  it('lets one frame pass that is larger than all that may wait', async () => {
    const { output, writes } = stubbornOutput();
    const { channel } = opened({ output, maxQueuedChars: 10 });
    channel.send('x'.repeat(50));
    await turn();
    await turn();
    expect(writes).toEqual([`${'x'.repeat(50)}\n`]);
  });

  it('writes what is sent on hearing a frame too, where streams hand on at once what is written', async () => {
    const back = new PassThrough();
    const { channel: there } = opened({ output: back });
    const here = createPipeChannel({ input: back, output: new PassThrough() });
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

describe('the end', () => {
  it('sends what waits before it lets go of the output', async () => {
    const output = new PassThrough();
    const { channel } = opened({ output, releaseOutput: () => output.end() });
    channel.send('1');
    channel.send('2');
    channel.close();
    channel.close(new Error('a second close does nothing'));
    expect(channel.state).toBe('closed');
    expect(await channel.finished).toBeUndefined();
    expect(Buffer.concat(await output.toArray()).toString()).toBe('1\n2\n');
  });

  it('waits for the last bytes for as long as some of them leave', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    const { output, letGo } = stubbornOutput();
    const { channel } = opened({ output, flushMs: 1000 });
    channel.send('x'.repeat(300_000));
    channel.close();
    const finished = vi.fn();
    void channel.finished.then(finished);
    for (let pieces = 0; pieces < 5; pieces++) {
      await vi.advanceTimersByTimeAsync(900);
      expect(finished).not.toHaveBeenCalled();
      letGo();
      await turn();
    }
    await turn();
    letGo();
    await turn();
    expect(finished).toHaveBeenCalledWith(undefined);
  });

  it('does not wait for ever for a reader that does not read', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    const { output, writes } = stubbornOutput();
    const release = vi.fn();
    const { channel } = opened({ output, releaseOutput: release });
    channel.send('1');
    channel.close();
    expect(release).not.toHaveBeenCalled();
    await vi.advanceTimersByTimeAsync(1000);
    expect(await channel.finished).toMatchObject({ code: 'connection-closed', details: { flushMs: 1000 } });
    expect(release).toHaveBeenCalledOnce();
    expect(writes).toEqual(['1\n']);
  });

  it.each(['EPIPE', 'ECONNRESET'])('takes %s for the other side having left', async (code) => {
    const output = new Writable({ write: (_chunk, _encoding, done) => done(Object.assign(new Error(code), { code })) });
    const { channel, ends } = opened({ output });
    channel.send('1');
    expect(await channel.finished).toBeUndefined();
    expect(ends).toEqual([undefined]);
    expect(() => channel.send('2')).toThrow(expect.objectContaining({ code: 'connection-closed' }));
  });

  it('leaves it to its owner what to do when nothing can be written any more, and drops what is sent', async () => {
    const output = new Writable({
      write: (_chunk, _encoding, done) => done(Object.assign(new Error('EPIPE'), { code: 'EPIPE' })),
    });
    const outputEnded = vi.fn();
    const { channel, input, frames } = opened({ output, onOutputEnd: outputEnded });
    channel.send('1');
    await vi.waitFor(() => expect(outputEnded).toHaveBeenCalledOnce());
    channel.send('2');
    input.write('still heard\n');
    await vi.waitFor(() => expect(frames).toEqual(['still heard']));
    expect(channel.state).toBe('open');
    channel.close();
    expect(await channel.finished).toBeUndefined();
  });

  it('hears of an error also where the last bytes cannot leave', async () => {
    const output = new Writable({
      write: (_chunk, _encoding, done) => void setImmediate(done, Object.assign(new Error('EPIPE'), { code: 'EPIPE' })),
    });
    const emitted = new Promise((resolve) => output.prependListener('error', resolve));
    const received = output.listenerCount('error');
    const { channel } = opened({ output });
    channel.send('1');
    channel.close();
    await channel.finished;
    expect(await emitted).toMatchObject({ code: 'EPIPE' });
    expect(output.listenerCount('error')).toBe(received + 1);
  });

  it('names any other error of a stream as a pipe that broke', async () => {
    const { channel, input, ends } = opened();
    input.destroy(new Error('the disk is on fire'));
    expect(await channel.finished).toMatchObject({ code: 'connection-closed' });
    expect(ends).toMatchObject([{ code: 'connection-closed', cause: { message: 'the disk is on fire' } }]);
  });

  it('ends when its input is destroyed without a word', async () => {
    const { channel, input, ends } = opened();
    input.destroy();
    expect(await channel.finished).toBeUndefined();
    expect(ends).toEqual([undefined]);
  });

  it('leaves the end of input to whoever wants to answer first', async () => {
    const output = new PassThrough();
    const inputEnded = vi.fn(() => channel.send('answer'));
    const { channel, input } = opened({ output, onInputEnd: inputEnded });
    input.end();
    await vi.waitFor(() => expect(inputEnded).toHaveBeenCalledOnce());
    expect(channel.state).toBe('open');
    channel.close();
    await channel.finished;
    expect(output.read()?.toString()).toBe('answer\n');
  });

  it('passes over what still comes, so that the stream ends', async () => {
    const { channel, input, frames } = opened();
    channel.close();
    input.write('x'.repeat(1_000_000));
    input.end('\nlast\n');
    await new Promise((resolve) => input.once('end', resolve));
    expect(frames).toEqual([]);
  });

  it('leaves no listener on streams that are not its own to end', async () => {
    const input = new PassThrough();
    const output = new PassThrough();
    const count = (): number =>
      [input, output]
        .flatMap((each) => each.eventNames().map((name) => each.listenerCount(name)))
        .reduce((a, b) => a + b, 0);
    const before = count();
    const { channel } = opened({ input, output });
    expect(count()).toBeGreaterThan(before);
    channel.close();
    await channel.finished;
    expect(count()).toBe(before);
  });

  it('is opened once, and never after its end', async () => {
    const { channel } = opened();
    const listener = { onMessage: () => {}, onClose: () => {} };
    expect(() => channel.open(listener)).toThrow(expect.objectContaining({ code: 'already-open' }));
    channel.close();
    expect(() => channel.open(listener)).toThrow(expect.objectContaining({ code: 'connection-closed' }));
  });
});
