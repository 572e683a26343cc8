/** The live recording, and the captures that were opened. */
import type { ReadCapture } from '../../capture/read-capture.ts';
import type { Recording as RecordingInfo } from '../api/timeline.ts';
import { InspectorError } from '../api-error.ts';
import { type OpenedCapture, openCapture } from './open-capture.ts';
import { Recording, type RecordingLimits } from './recording.ts';

/**
 * Captures that are open.
 * @limit inspector
 * @beyond the call fails
 * @code too-many
 */
const maxCaptures = 8;

/** The name of a file, without the characters that a terminal or a page would misread. */
const maxNameChars = 200;

export class RecordingSet {
  readonly live: Recording;
  readonly #captures = new Map<string, OpenedCapture>();
  #count = 0;

  constructor(began: number, limits: RecordingLimits) {
    this.live = new Recording({ id: 'live', name: 'live', began, isComplete: true }, limits);
  }

  get all(): readonly RecordingInfo[] {
    return [this.live.info, ...[...this.#captures.values()].map(({ recording }) => recording.info)];
  }

  get(id: string): Recording {
    return id === 'live' ? this.live : this.#opened(id).recording;
  }

  capture(id: string): ReadCapture {
    return this.#opened(id).capture;
  }

  /** The text of a capture. One that was opened has no secrets already. */
  async save(
    id: string,
    clients: readonly string[] | undefined,
    options: { readonly keepAnswers?: boolean },
  ): Promise<string> {
    if (id === 'live') return this.live.capture(clients, options);
    const { header, events, end } = this.capture(id);
    return [header, ...events, ...(end ? [end] : [])].map((line) => `${JSON.stringify(line)}\n`).join('');
  }

  open(name: string, text: string): RecordingInfo {
    if (this.#captures.size >= maxCaptures)
      throw new InspectorError('too-many', `${maxCaptures} captures are open.`, 'Close one that is not needed.');
    const opened = openCapture(`f${++this.#count}`, name.slice(0, maxNameChars), text);
    this.#captures.set(opened.recording.id, opened);
    return opened.recording.info;
  }

  close(id: string): void {
    this.#opened(id);
    this.#captures.delete(id);
  }

  #opened(id: string): OpenedCapture {
    const found = this.#captures.get(id);
    if (found !== undefined) return found;
    throw new InspectorError('not-found', `There is no capture ${JSON.stringify(id)}.`);
  }
}
