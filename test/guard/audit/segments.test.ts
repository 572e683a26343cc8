/** Rotation and retention: segments link, and only anchored ones are deleted. */
import { readdir } from 'node:fs/promises';
import { type AuditCheckpoint, auditFolder, verifyAudit } from 'tenon/guard';
import { expect, it, vi } from 'vitest';
import { withFixed } from '../../kit/fixed-limits.ts';
import { chainFiles, key, newFolder, openAudit, recordsIn } from './audit-folder.ts';

const { publicKey } = key;
const limits = withFixed({ maxSegmentBytes: 1000 }, { maxUnsignedRecords: 5 });

it('begins a segment when one is full, and links it to the one before', async () => {
  const folder = await newFolder();
  const { audit } = openAudit(folder, { limits });
  for (let at = 0; at < 20; at++) await audit.append({ kind: 'decision', private: { at } });
  await audit.close();
  const names = await chainFiles(folder);
  expect(names.length).toBeGreaterThan(3);
  const records = await recordsIn(folder);
  for (const name of names.slice(1)) {
    const first = records[Number(/\d+/.exec(name)?.[0])];
    expect(first).toMatchObject({ kind: 'segment', prev: records[(first?.n ?? 0) - 1]?.hash });
  }
  expect(await verifyAudit(folder, { publicKey })).toMatchObject({ valid: true, records: records.length });
});

it('deletes old segments once a checkpoint that says so is anchored, and the rest verifies [S24]', async () => {
  const folder = await newFolder();
  const { audit, anchored } = openAudit(folder, { limits: { ...limits, maxSegments: 2 } });
  for (let at = 0; at < 60; at++) await audit.append({ kind: 'decision', private: { at } });
  await audit.close();
  const result = await verifyAudit(folder, { publicKey, anchor: anchored });
  expect(result).toMatchObject({ valid: true });
  expect(result.valid && result.firstRecord).toBeGreaterThan(0);
  expect((await chainFiles(folder)).length).toBeLessThan(6);
  // The values of a segment are deleted with it.
  expect((await readdir(folder)).filter((name) => name.includes('private')).length).toBe(
    (await chainFiles(folder)).length,
  );
});

it('retains every segment while the anchor fails, and without an anchor', async () => {
  for (const anchor of [{ anchor: () => Promise.reject(new Error('down')) }, {}]) {
    const folder = await newFolder();
    const audit = auditFolder(folder, { key: key.privateKey, limits: { ...limits, maxSegments: 1 }, ...anchor });
    for (let at = 0; at < 30; at++) await audit.append({ kind: 'decision' });
    await audit.close();
    expect((await chainFiles(folder))[0]).toBe('audit-000000000000.jsonl');
    expect(await verifyAudit(folder, { publicKey })).toMatchObject({ valid: true, firstRecord: 0 });
  }
});

it('does not delete a segment before a checkpoint is anchored that covers it', async () => {
  const folder = await newFolder();
  const waiting: (() => void)[] = [];
  const anchored: AuditCheckpoint[] = [];
  let isSlow = true;
  const { audit } = openAudit(folder, {
    limits: { ...limits, maxSegments: 1 },
    anchor: (checkpoint) => {
      anchored.push(checkpoint);
      return isSlow ? new Promise<void>((resolve) => void waiting.push(resolve)) : undefined;
    },
  });
  for (let at = 0; at < 30; at++) await audit.append({ kind: 'decision' });
  // The first checkpoint covers less than the first segment. The second says nothing of a deletion.
  for (let handed = 1; handed <= 2; handed++) {
    await vi.waitFor(() => expect(anchored.length).toBe(handed));
    waiting.shift()?.();
    expect((await chainFiles(folder))[0]).toBe('audit-000000000000.jsonl');
  }
  isSlow = false;
  waiting.shift()?.();
  for (let at = 0; at < 30; at++) await audit.append({ kind: 'decision' });
  await audit.close();
  const result = await verifyAudit(folder, { publicKey, anchor: anchored });
  expect(result).toMatchObject({ valid: true });
  expect(result.valid && result.firstRecord).toBeGreaterThan(0);
});
