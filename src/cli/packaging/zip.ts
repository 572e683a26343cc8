/** Writes a zip archive whose bytes depend on the files alone: not on the clock, the time zone, the machine or Node. */
import { zipSync } from 'fflate';

/** The files by their paths, with slashes. */
export type Files = ReadonlyMap<string, Uint8Array>;

export function zip(files: Files): Uint8Array {
  const sorted = [...files].sort(([one], [other]) => (one < other ? -1 : 1));
  // The format has local time: the parts of this date are the same in every time zone.
  return zipSync(Object.fromEntries(sorted), { level: 9, mtime: new Date(1980, 0, 1), os: 3 });
}
