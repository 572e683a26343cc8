/** Every change of a byte in the files of a log is found, and the first wrong record is named. */
import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import * as fc from 'fast-check';
import { type AuditCheckpoint, verifyAudit } from 'tenon/guard';
import { describe, expect, it } from 'vitest';
import { withFixed } from '../../kit/fixed-limits.ts';
import { inWords, scaled } from '../../kit/long.ts';
import { key, newFolder, openAudit } from './audit-folder.ts';

/** The files of a valid log, and the checkpoint at its end. */
interface Sample {
  readonly folder: string;
  readonly files: ReadonlyMap<string, Buffer>;
  readonly anchor: AuditCheckpoint;
}

/** Two runs, several segments, private values, and a redaction. */
async function createSample(): Promise<Sample> {
  const folder = await newFolder();
  let anchor: AuditCheckpoint | undefined;
  for (let run = 0; run < 2; run++) {
    const { audit, anchored } = openAudit(folder, {
      limits: withFixed({ maxSegmentBytes: 1500 }, { maxUnsignedRecords: 4 }),
    });
    await audit.begin({ kind: 'call-start', what: { tool: 'mail', run }, private: { arguments: { to: 'bob' }, é: 1 } });
    await audit.append({ kind: 'call-end', what: { tool: 'mail' }, private: { result: 'sent' } });
    await audit.append({ kind: 'decision', who: { principal: 'alice' }, decision: { outcome: 'deny' } });
    if (run === 1) await audit.redact({ kinds: ['call-end'] });
    await audit.close();
    anchor = anchored.at(-1);
  }
  const names = (await readdir(folder)).filter((name) => name.endsWith('.jsonl')).sort();
  const files = new Map<string, Buffer>();
  for (const name of names) files.set(name, await readFile(join(folder, name)));
  if (anchor === undefined) throw new Error('Nothing was anchored.');
  return { folder, files, anchor };
}

const verify = ({ folder, anchor }: Sample) => verifyAudit(folder, { publicKey: key.publicKey, anchor });

/** Puts other bytes into a file for one check. */
async function verifyChanged(sample: Sample, name: string, bytes: Buffer) {
  const path = join(sample.folder, name);
  await writeFile(path, bytes);
  const result = await verify(sample);
  await writeFile(path, sample.files.get(name) ?? '');
  return result;
}

const isChain = (name: string): boolean => !name.includes('private');

/** The number of the record of the first line that differs. */
function firstChanged(name: string, before: Buffer, after: Buffer): number {
  let at = 0;
  while (at < before.length && before[at] === after[at]) at++;
  const line = before.subarray(0, at).toString('latin1').split('\n').length - 1;
  if (isChain(name)) return Number(/\d+/.exec(name)?.[0]) + line;
  const text = before.toString('latin1').split('\n')[line] ?? '';
  return Number(/"n":(\d+)/.exec(text)?.[1] ?? Number.NaN);
}

type Change = (bytes: Buffer, at: number, other: number, value: number) => Buffer;
const within = (bytes: Buffer, at: number): number => at % bytes.length;

const changes: Readonly<Record<string, Change>> = {
  flipped: (bytes, at, _, value) => {
    const copy = Buffer.from(bytes);
    copy[within(bytes, at)] = (bytes[within(bytes, at)] ?? 0) ^ (1 << (value % 8));
    return copy;
  },
  cut: (bytes, at, other) => {
    const start = within(bytes, at);
    return Buffer.concat([bytes.subarray(0, start), bytes.subarray(start + 1 + (other % 300))]);
  },
  swapped: (bytes, at, other) => {
    const copy = Buffer.from(bytes);
    copy[within(bytes, at)] = bytes[within(bytes, other)] ?? 0;
    copy[within(bytes, other)] = bytes[within(bytes, at)] ?? 0;
    return copy;
  },
  inserted: (bytes, at, other, value) => {
    const start = at % (bytes.length + 1);
    const copied = bytes.subarray(within(bytes, other), within(bytes, other) + 300);
    const added = value % 2 === 0 ? Buffer.from([value]) : copied;
    return Buffer.concat([bytes.subarray(0, start), added, bytes.subarray(start)]);
  },
  truncated: (bytes, at) => bytes.subarray(0, within(bytes, at)),
};
const lineChanges: Readonly<Record<string, (lines: string[], at: number, other: number) => void>> = {
  cut: (lines, at) => void lines.splice(at, 1),
  repeated: (lines, at) => void lines.splice(at, 0, lines[at] ?? ''),
  swapped: (lines, at, other) => {
    [lines[at], lines[other]] = [lines[other] ?? '', lines[at] ?? ''];
  },
};

const runs = scaled(3, 400);
const settings = { numRuns: runs, seed: 19 };
const number = fc.nat(1_000_000);

describe('a log', () => {
  it.each(Object.entries(changes))(
    `with %s bytes is not valid, and its first wrong record is named (${inWords(runs)} runs) [S24]`,
    async (_, change) => {
      const sample = await createSample();
      expect(await verify(sample)).toMatchObject({ valid: true, redacted: 2 });
      const names = fc.constantFrom(...[...sample.files].filter(([, { length }]) => length > 0).map(([name]) => name));
      await fc.assert(
        fc.asyncProperty(names, number, number, fc.nat(255), async (name, at, other, value) => {
          const before = sample.files.get(name) as Buffer;
          const after = change(before, at, other, value);
          fc.pre(!before.equals(after));
          const result = await verifyChanged(sample, name, after);
          const record = firstChanged(name, before, after);
          // A line of private values has the number of its record until the value is deleted.
          expect(result).toMatchObject({ valid: false, ...(Number.isNaN(record) ? {} : { record }) });
        }),
        settings,
      );
    },
  );

  it.each(Object.entries(lineChanges))(
    'with %s lines is not valid, and its first wrong record is named [S24]',
    async (_, change) => {
      const sample = await createSample();
      await fc.assert(
        fc.asyncProperty(fc.constantFrom(...sample.files.keys()), number, number, async (name, at, other) => {
          const before = sample.files.get(name) as Buffer;
          const lines = before.toString('latin1').split('\n').slice(0, -1);
          change(lines, at % (lines.length || 1), other % (lines.length || 1));
          const after = Buffer.from(lines.map((line) => `${line}\n`).join(''), 'latin1');
          fc.pre(!before.equals(after));
          const result = await verifyChanged(sample, name, after);
          expect(result).toMatchObject({
            valid: false,
            ...(isChain(name) && { record: firstChanged(name, before, after) }),
          });
        }),
        settings,
      );
    },
  );
});
