/** A new file for a capture. A client starts the same command again and again: then the file gets a number. */
import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { type CaptureFile, type CaptureFileOptions, captureToFile } from '../../node/capture-to-file.ts';
import type { Io } from '../io/io.ts';
import { usageError } from '../usage-error.ts';

/** Files of one name; more are refused. */
const maxFiles = 1000;

export interface NewCapture extends CaptureFile {
  readonly file: string;
}

export function newCapture(name: string, { cwd }: Io, options: CaptureFileOptions): NewCapture {
  for (let number = 1; number <= maxFiles; number++) {
    const file = number === 1 ? name : numbered(name, number);
    const path = resolve(cwd, file);
    if (existsSync(path)) continue;
    return Object.assign(captureToFile(path, options), { file });
  }
  throw usageError(`There are ${maxFiles} captures named ${name}.`, 'Delete them, or choose another name.');
}

/** `session.mcp.ndjson` is followed by `session-2.mcp.ndjson`. */
const numbered = (name: string, number: number): string =>
  name.replace(/(\.mcp)?(\.[^./\\]*)?$/, (ending) => `-${number}${ending}`);
