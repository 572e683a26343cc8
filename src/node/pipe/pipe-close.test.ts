/** Every way in which a stream can end is heard, also where it had ended before. */
import { once } from 'node:events';
import { PassThrough, Readable, type Writable } from 'node:stream';
import { expect, it } from 'vitest';
import { listenToInput, listenToOutput } from './pipe-close.ts';

/** Listens to an input; gives the first that is heard of its end. */
const endOf = (input: Readable): Promise<unknown> =>
  new Promise((resolve) => {
    listenToInput(input, { onEnd: () => resolve('ended'), onClose: (reason) => resolve(reason ?? 'gone') });
  });

const systemError = (code: string): Error => Object.assign(new Error(code), { code });

it('an input that ends, breaks or is destroyed is heard of', async () => {
  expect(await endOf(Readable.from([]).resume())).toBe('ended');
  const [destroyed, left, burnt] = [new PassThrough(), new PassThrough(), new PassThrough()];
  const ends = Promise.all([destroyed, left, burnt].map(endOf));
  destroyed.destroy();
  left.destroy(systemError('ECONNRESET'));
  burnt.destroy(new Error('the disk is on fire'));
  expect(await ends).toMatchObject(['gone', 'ended', { code: 'connection-closed' }]);
});

it('an input that had ended, broken or been destroyed before is heard of as if it did so now', async () => {
  const ended = Readable.from([]).resume();
  await once(ended, 'close');
  const reasons = [undefined, systemError('EPIPE'), new Error('the disk is on fire')];
  const destroyed = reasons.map((reason) => new PassThrough().on('error', () => {}).destroy(reason));
  await Promise.all(destroyed.map((input) => new Promise((resolve) => input.once('close', resolve))));
  const burnt = { code: 'connection-closed', cause: { message: 'the disk is on fire' } };
  expect(await Promise.all([ended, ...destroyed].map(endOf))).toMatchObject(['ended', 'gone', 'gone', burnt]);
});

it('the end of an input that had ended is heard once, and not before listening has begun', async () => {
  const input = Readable.from([]).resume();
  await once(input, 'end');
  const received: string[] = [];
  listenToInput(input, { onEnd: () => received.push('ended'), onClose: () => received.push('gone') });
  expect(received).toEqual([]);
  await once(input, 'close');
  expect(received).toEqual(['ended']);
});

/** Listens to an output; gives the first that is heard of its end. */
const outputEnd = (output: Writable, isOwn: boolean): Promise<unknown> =>
  new Promise((resolve) => {
    listenToOutput(output, isOwn, { onDrain: () => {}, onClose: (reason) => resolve(reason ?? 'left') });
  });

it('an output that closes without a word is the other side leaving, or else the doing of this process', async () => {
  const outputs = [new PassThrough(), new PassThrough()] as const;
  const ends = Promise.all([outputEnd(outputs[0], false), outputEnd(outputs[1], true)]);
  for (const output of outputs) output.destroy();
  const message = expect.stringContaining('closed by the process that serves on it');
  expect(await ends).toMatchObject(['left', { code: 'connection-closed', message }]);
});

it('an output that had been closed before is heard of as if it was closed now', async () => {
  const [destroyed, ended] = [new PassThrough(), new PassThrough()];
  destroyed.destroy();
  ended.resume().end();
  await Promise.all([once(destroyed, 'close'), once(ended, 'close')]);
  for (const output of [destroyed, ended])
    expect(await outputEnd(output, false)).toMatchObject({ code: 'connection-closed' });
});
