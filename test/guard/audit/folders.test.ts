/** Folders and disks that fail: named errors, no crash, and nothing is lost. */
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { appendFile, mkdir, readFile, rename, rm, truncate, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { verifyAudit } from 'tenon/guard';
import { describe, expect, it, onTestFinished, type TestContext } from 'vitest';
import { withFixed } from '../../kit/fixed-limits.ts';
import { bundledProgram } from '../../kit/process/bundled-program.ts';
import { key, kindsIn, newFolder, openAudit, recordsIn } from './audit-folder.ts';

const file = 'audit-000000000000.jsonl';
const publicKey = key.publicKey;

/** A disk of its own; skips where it cannot be mounted. */
async function mountDisk(context: TestContext, size: string): Promise<string> {
  const folder = join(await newFolder(), 'disk');
  await mkdir(folder);
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${size}`, 'tmpfs', folder], { stdio: 'pipe' });
  } catch (error) {
    context.skip(`no tmpfs can be mounted here: ${String((error as Error).message).split('\n')[0]}`);
  }
  onTestFinished(() => void execFileSync('umount', ['-l', folder]));
  return folder;
}

describe('a full disk', () => {
  it('refuses new calls, keeps the ends of those that ran, and goes on when there is space [S24]', async (context) => {
    const disk = await mountDisk(context, '512k');
    await writeFile(join(disk, 'ballast'), Buffer.alloc(256 * 1024));
    const folder = join(disk, 'audit');
    const { audit, anchored } = openAudit(folder, { limits: withFixed({}, { maxUnsignedRecords: 50 }) });
    const started: number[] = [];
    let failure: unknown;
    for (let call = 0; failure === undefined; call++) {
      try {
        await audit.begin({ kind: 'call-start', what: { call }, private: { arguments: 'x'.repeat(1000) } });
        started.push(call);
      } catch (error) {
        failure = error;
      }
    }
    expect(failure).toMatchObject({
      code: 'audit-unavailable',
      details: { code: 'ENOSPC' },
      hint: expect.stringContaining('free space'),
    });
    expect(started.length).toBeGreaterThan(20);
    // What was written stays whole, and calls that run cannot be answered.
    for (const call of started.slice(-5))
      await expect(
        audit.append({ kind: 'call-end', what: { call }, private: { result: 'y'.repeat(5000) } }),
      ).rejects.toMatchObject({ code: 'audit-unavailable' });
    expect(await verifyAudit(folder, { publicKey })).toMatchObject({ valid: true });

    await rm(join(disk, 'ballast'));
    await audit.begin({ kind: 'call-start', what: { call: -1 } });
    await audit.close();
    const records = await recordsIn(folder);
    const callsOf = (kind: string): unknown[] =>
      records.filter((one) => one.kind === kind).map(({ what }) => what?.call);
    expect(callsOf('call-start')).toEqual([...started, -1]);
    expect(callsOf('call-end')).toEqual(started.slice(-5));
    expect(await verifyAudit(folder, { publicKey, anchor: anchored })).toMatchObject({ valid: true });
  });

  it('that has no space at the start refuses to open, and opens later', async (context) => {
    const disk = await mountDisk(context, '64k');
    await writeFile(join(disk, 'ballast'), Buffer.alloc(64 * 1024)).catch(() => {});
    const { audit } = openAudit(join(disk, 'audit'));
    await expect(audit.open()).rejects.toMatchObject({ code: 'audit-unavailable' });
    await rm(join(disk, 'ballast'));
    await audit.open();
    await audit.close();
  });
});

describe('a folder', () => {
  it('that another process has is refused, and is free when that process was killed', async () => {
    const folder = await newFolder();
    const program = await bundledProgram('answering', 'audit');
    const options = { folder, key: key.privateKey, durability: 'os', firstCall: 0 };
    const child = spawn(process.execPath, [program, JSON.stringify(options)], { stdio: ['ignore', 'pipe', 'inherit'] });
    await once(child.stdout, 'data');
    const { audit } = openAudit(folder, { timeouts: withFixed({}, { lockMs: 50 }) });
    await expect(audit.begin({ kind: 'call-start' })).rejects.toMatchObject({
      code: 'audit-unavailable',
      message: expect.stringContaining('another process has it'),
    });
    child.kill('SIGKILL');
    await once(child, 'exit');
    await audit.begin({ kind: 'call-start' });
    await audit.close();
    expect(await verifyAudit(folder, { publicKey })).toMatchObject({ valid: true });
  });

  it('that a process writes to can be verified meanwhile: what comes later is not read', async () => {
    const folder = await newFolder();
    const { audit, anchored } = openAudit(folder, {
      limits: withFixed({ maxSegmentBytes: 20_000 }, { maxUnsignedRecords: 20 }),
    });
    await audit.open();
    const state = { isWriting: true };
    const writing = (async () => {
      for (let call = 0; call < 500; call++)
        await audit.begin({ kind: 'call-start', what: { call }, private: { arguments: 'x'.repeat(call % 300) } });
      state.isWriting = false;
    })();
    while (state.isWriting) expect(await verifyAudit(folder, { publicKey })).toMatchObject({ valid: true });
    await writing;
    await audit.close();
    expect(await verifyAudit(folder, { publicKey, anchor: anchored })).toMatchObject({ valid: true });
  });

  it('that cannot be written is refused, and the error names the reason', async (context) => {
    const disk = await mountDisk(context, '64k');
    execFileSync('mount', ['-o', 'remount,ro', disk]);
    const { audit } = openAudit(disk);
    await expect(audit.open()).rejects.toMatchObject({ code: 'audit-unavailable', details: { code: 'EROFS' } });
    await audit.close();
  });

  it('that is a file is refused', async () => {
    const path = join(await newFolder(), 'file');
    await writeFile(path, '');
    const { audit } = openAudit(path);
    await expect(audit.open()).rejects.toMatchObject({ code: 'audit-unavailable', details: { code: 'EEXIST' } });
  });

  it('that vanishes, or whose file is replaced or changed by another program, is not written to', async () => {
    const changes: Readonly<Record<string, (folder: string) => Promise<unknown>>> = {
      deleted: (folder) => rm(folder, { recursive: true }),
      replaced: async (folder) => {
        await rename(join(folder, file), join(folder, 'moved'));
        await writeFile(join(folder, file), await readFile(join(folder, 'moved')));
      },
      changed: (folder) => appendFile(join(folder, file), 'x\n'),
    };
    for (const [name, change] of Object.entries(changes)) {
      const folder = await newFolder();
      const { audit } = openAudit(folder);
      await audit.begin({ kind: 'call-start' });
      await change(folder);
      await expect(audit.begin({ kind: 'call-start' })).rejects.toMatchObject({
        code: 'audit-unavailable',
        message: expect.stringContaining(`another program ${name} the file`),
      });
      await expect(audit.close()).rejects.toMatchObject({ code: 'audit-unavailable' });
    }
  });

  it('with a torn last line is repaired: the bytes are cut off, recorded, and stored beside it', async () => {
    const folder = await newFolder();
    const { audit } = openAudit(folder);
    await audit.begin({ kind: 'call-start', private: { arguments: 1 } });
    await audit.close();
    await appendFile(join(folder, file), '{"n":5,"at":');
    await appendFile(join(folder, file.replace('.jsonl', '.private.jsonl')), '{"n":5,"field":"a"}\n{"n":');
    expect(await verifyAudit(folder)).toMatchObject({ valid: false, record: 4, problem: 'torn-line' });
    const next = openAudit(folder);
    await next.audit.open();
    await next.audit.close();
    expect(await kindsIn(folder)).toBe('open call-start close checkpoint open repair close checkpoint');
    expect((await recordsIn(folder))[5]?.what).toMatchObject({ file, removedBytes: 12, removedPrivateBytes: 25 });
    expect(await readFile(join(folder, `${file}.torn-4`), 'latin1')).toBe('{"n":5,"at":');
    expect(await verifyAudit(folder, { publicKey })).toMatchObject({ valid: true });
  });

  it('with a changed last line is not continued, and the error names the record', async () => {
    const folder = await newFolder();
    const { audit } = openAudit(folder);
    await audit.begin({ kind: 'call-start' });
    await audit.close();
    const text = await readFile(join(folder, file), 'latin1');
    await writeFile(join(folder, file), text.replace('"checkpoint"', '"checkpoinT"'));
    const next = openAudit(folder);
    await expect(next.audit.begin({ kind: 'call-start' })).rejects.toMatchObject({
      code: 'audit-unavailable',
      message: expect.stringContaining('record 3 was changed'),
    });
    await next.audit.close();
    await truncate(join(folder, file), 0);
    await rename(join(folder, file), join(folder, 'audit-000000000009.jsonl'));
    await expect(openAudit(folder).audit.open()).rejects.toMatchObject({
      code: 'audit-unavailable',
      message: expect.stringContaining('a segment before it is missing'),
    });
  });
});
