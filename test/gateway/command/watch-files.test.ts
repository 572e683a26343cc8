/** Changes of files are seen when they are written whole. */
import { rmSync } from 'node:fs';
import { describe, expect, it, vi } from 'vitest';
import { watchFiles } from '../../../src/gateway/serving/watch-files.ts';
import { createFakeClock } from '../../../src/lib/time/fake-clock.ts';
import { folderWith } from '../config/file.ts';

async function watching() {
  const folder = folderWith({ a: '1', b: '1' });
  const clock = createFakeClock();
  const onChange = vi.fn(async () => {});
  const watch = watchFiles(clock, onChange, 1000);
  await watch.watch([`${folder.path}/a`, `${folder.path}/b`]);
  watch.start();
  /** A look has ended when the next one waits. */
  const look = async (): Promise<void> => {
    clock.advance(1000);
    await vi.waitUntil(() => clock.pending === 1);
  };
  return { folder, watch, onChange, look, clock };
}

describe('Watched files', () => {
  it('that stay the same are not reported', async () => {
    const { onChange, look } = await watching();
    for (let at = 0; at < 3; at++) await look();
    expect(onChange).not.toHaveBeenCalled();
  });

  it('are reported once, at the second look that sees the same', async () => {
    const { folder, onChange, look } = await watching();
    folder.write('b', 'half');
    await look();
    folder.write('b', 'half and whole');
    await look();
    expect(onChange).not.toHaveBeenCalled();
    await look();
    expect(onChange).toHaveBeenCalledTimes(1);
    await look();
    await look();
    expect(onChange).toHaveBeenCalledTimes(1);
  });

  it('are reported when they are deleted and when they come back', async () => {
    const { folder, onChange, look } = await watching();
    rmSync(`${folder.path}/a`);
    await look();
    await look();
    folder.write('a', 'new');
    await look();
    await look();
    expect(onChange).toHaveBeenCalledTimes(2);
  });

  it('that were read by hand are not reported again', async () => {
    const { folder, watch, onChange, look } = await watching();
    folder.write('a', 'new');
    await watch.refresh();
    for (let at = 0; at < 3; at++) await look();
    expect(onChange).not.toHaveBeenCalled();
  });

  it('are not looked at after close()', async () => {
    const { watch, clock } = await watching();
    watch.close();
    expect(clock.pending).toBe(0);
  });
});
