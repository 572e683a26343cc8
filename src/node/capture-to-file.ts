/** Writes a capture to a file that only its owner can read. */
import { createHash } from 'node:crypto';
import { closeSync, openSync, writeSync } from 'node:fs';
import { type Capture, createCapture } from '../capture/write-capture.ts';
import { TenonError } from '../lib/errors/tenon-error.ts';
import { readOptions } from '../lib/options/read-options.ts';
import { captureFileOptions } from './capture-options.table.ts';
import type { CaptureFileOptions } from './capture-options.ts';

/** A capture that is being written to a file. */
export interface CaptureFile extends Capture {
  /** Writes the last line and closes the file. */
  end(): void;
}

/**
 * Writes what happens on connections to a file, without secrets. Each line is written at once, so that a program that
 * crashes leaves a capture that can be read. Throws `invalid-argument` if the file exists or cannot be created.
 *
 * ```ts
 * const capture = captureToFile('./session.mcp.ndjson');
 * const client = await connect('https://example.com/mcp', { tap: capture.tap });
 * // …
 * capture.end();
 * ```
 */
export function captureToFile(path: string, options: CaptureFileOptions = {}): CaptureFile {
  const settings = readOptions('captureToFile()', captureFileOptions, options);
  const file = create(path);
  const hash = createHash('sha256');
  const capture = createCapture({
    ...settings,
    write(line) {
      hash.update(line);
      writeSync(file, line);
    },
    digest: () => hash.copy().digest('hex'),
  });
  let isOpen = true;
  return {
    tap: capture.tap,
    get events() {
      return capture.events;
    },
    end() {
      capture.end();
      if (isOpen) closeSync(file);
      isOpen = false;
    },
  };
}

/** An existing capture is not overwritten. */
function create(path: string): number {
  try {
    return openSync(path, 'wx', 0o600);
  } catch (cause) {
    const { code } = cause as NodeJS.ErrnoException;
    throw new TenonError(
      'invalid-argument',
      code === 'EEXIST' ? `The file ${path} exists already.` : `The file ${path} cannot be created.`,
      { hint: code === 'EEXIST' ? 'Delete it, or choose another name.' : 'Check its folder and permissions.', cause },
    );
  }
}
