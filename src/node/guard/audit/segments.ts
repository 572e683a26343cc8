/** The files of an audit log: one for the records of a segment, one for its private values. */

import { filesModule, pathModule } from '../../process/builtins.ts';
import { unavailable } from './unavailable.ts';

/** The files of a segment, by the number of its first record. */
export interface SegmentFiles {
  readonly first: number;
  /** Without the folder. */
  readonly name: string;
  readonly path: string;
  readonly privatePath: string;
}

/** The process that has the log open holds this lock. */
export const lockPath = (folder: string): string => pathModule().join(folder, 'audit.lock');

const pattern = /^audit-(\d{12})\.jsonl$/;
const privatePattern = /^audit-(\d{12})\.private\.jsonl$/;

export function segmentFiles(folder: string, first: number): SegmentFiles {
  const name = `audit-${String(first).padStart(12, '0')}`;
  const path = pathModule().join(folder, name);
  return { first, name: `${name}.jsonl`, path: `${path}.jsonl`, privatePath: `${path}.private.jsonl` };
}

/** In the order of their records. */
export const listSegments = (folder: string): Promise<SegmentFiles[]> => listFiles(folder, pattern);

/** Segments whose private values are there, also if their records are not. */
export const listPrivate = (folder: string): Promise<SegmentFiles[]> => listFiles(folder, privatePattern);

async function listFiles(folder: string, wanted: RegExp): Promise<SegmentFiles[]> {
  const names = await filesModule()
    .readdir(folder)
    .catch((error: unknown) => {
      throw unavailable(folder, 'its folder cannot be read', error);
    });
  return names
    .flatMap((name) => wanted.exec(name)?.[1] ?? [])
    .sort()
    .map((digits) => segmentFiles(folder, Number(digits)));
}
