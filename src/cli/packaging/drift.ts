/** Compares what is published with what would be, field by field. */
import { isRecord } from '../../lib/values/is.ts';

/** A field that differs. Absent values are not there. */
export interface FieldChange {
  readonly file: string;
  /** Such as `packages[0].version`; empty for the file as a whole. */
  readonly field: string;
  readonly is?: unknown;
  readonly shouldBe?: unknown;
}

/** The fields of two JSON values that differ, in order. */
export function changedFields(file: string, is: unknown, shouldBe: unknown, field = ''): readonly FieldChange[] {
  if (isRecord(is) && isRecord(shouldBe)) {
    const names = [...new Set([...Object.keys(shouldBe), ...Object.keys(is)])];
    return names.flatMap((name) =>
      changedFields(file, is[name], shouldBe[name], field === '' ? name : `${field}.${name}`),
    );
  }
  if (Array.isArray(is) && Array.isArray(shouldBe))
    return Array.from({ length: Math.max(is.length, shouldBe.length) }, (_, index) => index).flatMap((index) =>
      changedFields(file, is[index], shouldBe[index], `${field}[${index}]`),
    );
  if (is === shouldBe) return [];
  return [{ file, field, ...(is !== undefined && { is }), ...(shouldBe !== undefined && { shouldBe }) }];
}

const maxShown = 120;
const shown = (value: unknown): string => {
  const text = JSON.stringify(value);
  return text.length > maxShown ? `${text.slice(0, maxShown)}…` : text;
};

/** One line for a change. */
export function changeText({ file, field, is, shouldBe }: FieldChange): string {
  const place = field === '' ? file : `${file}: ${field}`;
  if (is === undefined) return `${place} is missing. It should be ${shown(shouldBe)}.`;
  if (shouldBe === undefined) return `${place} is ${shown(is)}. It should not be there.`;
  return `${place} is ${shown(is)}. It should be ${shown(shouldBe)}.`;
}
