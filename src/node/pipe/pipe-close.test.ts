/** The close of a stream is reported, also if it has closed before. */
import { once } from 'node:events';
import { PassThrough, Readable, type Writable } from 'node:stream';
import { expect, it } from 'vitest';
import { listenToInput, listenToOutput } from './pipe-close.ts';

/** The first event of the close of an input. */
const endOf = (input: Readable): Promise<unknown> =>
  new Promise((resolve) => {
    listenToInput(input, { onEnd: () => resolve('ended'), onClose: (reason) => resolve(reason ?? 'closed') });
  });

const systemError = (code: string): Error => Object.assign(new Error(code), { code });

it('an input that ends, fails or is destroyed is reported', async () => {
  expect(await endOf(Readable.from([]).resume())).toBe('ended');
  const [destroyed, reset, failed] = [new PassThrough(), new PassThrough(), new PassThrough()];
  const ends = Promise.all([destroyed, reset, failed].map(endOf));
  destroyed.destroy();
  reset.destroy(systemError('ECONNRESET'));
  failed.destroy(new Error('disk failure'));
  expect(await ends).toMatchObject(['closed', 'ended', { code: 'connection-closed' }]);
});

it('an input that has ended, failed or been destroyed before is reported the same way', async () => {
  const ended = Readable.from([]).resume();
  await once(ended, 'close');
  const reasons = [undefined, systemError('EPIPE'), new Error('disk failure')];
  const destroyed = reasons.map((reason) => new PassThrough().on('error', () => {}).destroy(reason));
  await Promise.all(destroyed.map((input) => new Promise((resolve) => input.once('close', resolve))));
  const failed = { code: 'connection-closed', cause: { message: 'disk failure' } };
  expect(await Promise.all([ended, ...destroyed].map(endOf))).toMatchObject(['ended', 'closed', 'closed', failed]);
});

it('the end of an input that has ended before is reported once, after listenToInput has returned', async () => {
  const input = Readable.from([]).resume();
  await once(input, 'end');
  const received: string[] = [];
  listenToInput(input, { onEnd: () => received.push('ended'), onClose: () => received.push('closed') });
  expect(received).toEqual([]);
  await once(input, 'close');
  expect(received).toEqual(['ended']);
});

/** The first event of the close of an output. */
const outputEnd = (output: Writable, isOwn: boolean): Promise<unknown> =>
  new Promise((resolve) => {
    listenToOutput(output, isOwn, { onDrain: () => {}, onClose: (reason) => resolve(reason ?? 'disconnected') });
  });

it('an output that closes without an error was closed by the other side, or by this process if it is its own', async () => {
  const outputs = [new PassThrough(), new PassThrough()] as const;
  const ends = Promise.all([outputEnd(outputs[0], false), outputEnd(outputs[1], true)]);
  for (const output of outputs) output.destroy();
  const message = expect.stringContaining('closed by the process that serves on it');
  expect(await ends).toMatchObject(['disconnected', { code: 'connection-closed', message }]);
});

it('an output that has closed before is reported the same way', async () => {
  const [destroyed, ended] = [new PassThrough(), new PassThrough()];
  destroyed.destroy();
  ended.resume().end();
  await Promise.all([once(destroyed, 'close'), once(ended, 'close')]);
  for (const output of [destroyed, ended])
    expect(await outputEnd(output, false)).toMatchObject({ code: 'connection-closed' });
});
