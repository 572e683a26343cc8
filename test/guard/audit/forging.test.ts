/** Who can write to the folder, and has not the key, is found by signatures and anchors. */
import { readFile, rename, rm, truncate, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type AuditCheckpoint, type AuditRecord, createAuditKey, verifyAudit } from 'tenon/guard';
import { expect, it } from 'vitest';
import { redactedLine } from '../../../src/guard/audit/commitments.ts';
import { sha256 } from '../../../src/node/guard/audit/digest.ts';
import { withFixed } from '../../kit/fixed-limits.ts';
import { chainFiles, key, newFolder, openAudit } from './audit-folder.ts';

interface Log {
  readonly folder: string;
  readonly path: string;
  readonly anchored: readonly AuditCheckpoint[];
}

async function createLog(): Promise<Log> {
  const folder = await newFolder();
  const { audit, anchored } = openAudit(folder, { limits: withFixed({}, { maxUnsignedRecords: 3 }) });
  for (const tool of ['a', 'b', 'c'])
    await audit.begin({ kind: 'call-start', what: { tool }, private: { note: tool } });
  await audit.close();
  return { folder, path: join(folder, 'audit-000000000000.jsonl'), anchored };
}

/** Writes another history: hashes and links are computed again, as anyone can. */
async function forge(path: string, change: (records: Record<string, unknown>[]) => Record<string, unknown>[]) {
  const records = (await readFile(path, 'latin1'))
    .split('\n')
    .slice(0, -1)
    .map((line) => JSON.parse(line) as object);
  let prev = '0'.repeat(64);
  const lines = change(records.map((record) => ({ ...record }))).map((record, n) => {
    const { hash: _, ...rest } = { ...record, n, prev } as unknown as AuditRecord;
    const body = JSON.stringify(rest).slice(0, -1);
    prev = sha256(body);
    return `${body},"hash":"${prev}"}\n`;
  });
  await writeFile(path, lines.join(''));
}

const publicKey = key.publicKey;

it('finds a history that was written again by its first checkpoint [S24]', async () => {
  const { folder, path } = await createLog();
  await forge(path, (records) =>
    records.map((record) => (record.n === 1 ? { ...record, what: { tool: 'x' } } : record)),
  );
  expect(await verifyAudit(folder, { publicKey })).toMatchObject({
    valid: false,
    record: 3,
    problem: 'wrong-signature',
  });
});

it('finds a history without its checkpoints by the anchor, and reports that nothing is signed [S24]', async () => {
  const { folder, path, anchored } = await createLog();
  // Private values have the numbers of their records: the forger leaves them out.
  await rm(path.replace('.jsonl', '.private.jsonl'));
  await forge(path, (records) =>
    records.filter(({ kind }) => kind !== 'checkpoint').map((record) => ({ ...record, sealed: undefined })),
  );
  expect(await verifyAudit(folder, { publicKey })).toMatchObject({ valid: true, signedRecords: 0 });
  for (const anchor of anchored)
    expect(await verifyAudit(folder, { publicKey, anchor })).toMatchObject({
      valid: false,
      record: Math.min(anchor.records, 5),
    });
  expect(await verifyAudit(folder, { anchor: anchored })).toMatchObject({
    valid: false,
    record: 3,
    problem: 'wrong-anchor',
  });
});

it('finds a missing end by the anchor alone', async () => {
  const { folder, path, anchored } = await createLog();
  const lines = (await readFile(path, 'latin1')).split('\n');
  await writeFile(path, `${lines.slice(0, 4).join('\n')}\n`);
  await truncate(
    path.replace('.jsonl', '.private.jsonl'),
    (await readFile(path.replace('.jsonl', '.private.jsonl'), 'latin1')).split('\n').slice(0, 2).join('\n').length + 1,
  );
  expect(await verifyAudit(folder, { publicKey })).toMatchObject({ valid: true, records: 4 });
  expect(await verifyAudit(folder, { publicKey, anchor: anchored })).toMatchObject({
    valid: false,
    record: 4,
    problem: 'missing-end',
  });
});

it('finds files that were deleted or renamed', async () => {
  const folder = await newFolder();
  const { audit } = openAudit(folder, { limits: { maxSegmentBytes: 600 } });
  for (let at = 0; at < 9; at++) await audit.append({ kind: 'decision' });
  await audit.close();
  const [first = '', second = '', third = ''] = await chainFiles(folder);
  const numberOf = (name: string): number => Number(/\d+/.exec(name)?.[0]);
  const hide = async (name: string) => {
    await rename(join(folder, name), join(folder, `${name}.hidden`));
    const result = await verifyAudit(folder, { publicKey });
    await rename(join(folder, `${name}.hidden`), join(folder, name));
    return result;
  };
  expect(await hide(first)).toMatchObject({ valid: false, record: 0, problem: 'missing-start' });
  expect(await hide(second)).toMatchObject({
    valid: false,
    record: numberOf(second),
    problem: 'wrong-number',
    file: third,
  });
  await rename(join(folder, first), join(folder, 'audit-000000000001.jsonl'));
  expect(await verifyAudit(folder)).toMatchObject({ valid: false, record: 1, problem: 'wrong-file-name', line: 1 });
});

it('finds private values that were deleted without a record of it', async () => {
  const { folder, path } = await createLog();
  const privatePath = path.replace('.jsonl', '.private.jsonl');
  const text = await readFile(privatePath, 'latin1');
  const lines = text.split('\n');
  lines[1] = redactedLine(lines[1]?.length ?? 0);
  await writeFile(privatePath, lines.join('\n'));
  const problem = { valid: false, record: 2, problem: 'unrecorded-redaction' };
  expect(await verifyAudit(folder, { publicKey })).toMatchObject(problem);
  await rm(privatePath);
  expect(await verifyAudit(folder, { publicKey })).toMatchObject({
    valid: false,
    record: 1,
    problem: 'wrong-private-value',
  });
});

it('finds a checkpoint or an anchor that another key has signed, and knows keys that were replaced', async () => {
  const { folder, anchored } = await createLog();
  const other = await createAuditKey();
  const { audit } = openAudit(folder, { key: other.privateKey });
  await audit.append({ kind: 'decision' });
  await audit.close();
  expect(await verifyAudit(folder, { publicKey })).toMatchObject({ valid: false, problem: 'wrong-signature' });
  expect(await verifyAudit(folder, { publicKey: [publicKey, other.publicKey] })).toMatchObject({ valid: true });
  const [anchor] = anchored;
  expect(await verifyAudit(folder, { publicKey: other.publicKey, ...(anchor && { anchor }) })).toMatchObject({
    valid: false,
    record: 3,
    problem: 'wrong-signature',
  });
});

it('says in one sentence which record is wrong, where it is and why', async () => {
  const { folder, path } = await createLog();
  await writeFile(path, (await readFile(path, 'latin1')).replace('"tool":"b"', '"tool":"x"'));
  expect(await verifyAudit(folder)).toEqual({
    valid: false,
    record: 2,
    problem: 'wrong-hash',
    message: 'audit-000000000000.jsonl:3: Record 2 was changed: its hash is not that of its text.',
    file: 'audit-000000000000.jsonl',
    line: 3,
  });
});
