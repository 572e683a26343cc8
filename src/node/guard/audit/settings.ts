/** Reads the options of `auditFolder`. */
import type { TenonError } from '../../../lib/errors/tenon-error.ts';
import { type Filled, readOptions } from '../../../lib/options/read-options.ts';
import { runSafely } from '../../../lib/values/run-safely.ts';
import { auditFolderOptions } from './options.table.ts';
import type { AuditFolderOptions } from './options.ts';

type Read = Filled<AuditFolderOptions, typeof auditFolderOptions>;

/** The options with their defaults. */
export interface AuditSettings extends Omit<Read, 'limits' | 'key' | 'anchor' | 'onWarning'> {
  readonly limits: Read['limits'] & { readonly maxSegments: number };
  readonly key: AuditFolderOptions['key'];
  readonly anchor: AuditFolderOptions['anchor'];
  /** Never throws. */
  readonly onWarning: (warning: TenonError) => void;
}

export function readAuditOptions(options: AuditFolderOptions): AuditSettings {
  const otherNames = { privateKey: 'key', fsync: 'durability' };
  const read = readOptions('auditFolder()', auditFolderOptions, options, otherNames);
  const { limits, key, anchor, onWarning } = read;
  return {
    ...read,
    key,
    anchor,
    limits: { ...limits, maxSegments: limits.maxSegments ?? Number.POSITIVE_INFINITY },
    onWarning: (warning) => runSafely(() => onWarning?.(warning)),
  };
}
