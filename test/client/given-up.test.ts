/** Connecting that its caller gives up. */
import { connect, memoryChannels } from 'tenon';
import { expect, it } from 'vitest';

it('ends at once, with everything that was begun for it', async () => {
  const [here, there] = memoryChannels();
  const heard: string[] = [];
  const left = new Promise<void>((resolve) => {
    there.open({ frame: (text) => heard.push(text), closed: () => resolve() });
  });
  const giving = new AbortController();
  const failed = connect(here, { signal: giving.signal }).catch((error) => error.code);
  await Promise.resolve();
  giving.abort(new Error('no longer wanted'));
  expect(await failed).toBe('cancelled');
  await left;
});

it('is not begun where it was given up before', async () => {
  const [here, there] = memoryChannels();
  const heard: string[] = [];
  there.open({ frame: (text) => heard.push(text), closed: () => {} });
  await expect(connect(here, { signal: AbortSignal.abort('late') })).rejects.toMatchObject({ code: 'cancelled' });
  expect(heard).toEqual([]);
});
