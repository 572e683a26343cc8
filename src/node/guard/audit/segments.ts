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

const pattern = /^audit-(\d{12})\.jsonl$/;

export function segmentFiles(folder: string, first: number): SegmentFiles {
  const name = `audit-${String(first).padStart(12, '0')}`;
  const path = pathModule().join(folder, name);
  return { first, name: `${name}.jsonl`, path: `${path}.jsonl`, privatePath: `${path}.private.jsonl` };
}

/** In the order of their records. */
export async function listSegments(folder: string): Promise<SegmentFiles[]> {
  const names = await filesModule()
    .readdir(folder)
    .catch((error: unknown) => {
      throw unavailable(folder, 'its folder cannot be read', error);
    });
  return names
    .flatMap((name) => pattern.exec(name)?.[1] ?? [])
    .sort()
    .map((digits) => segmentFiles(folder, Number(digits)));
}
