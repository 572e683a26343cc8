/** A capture as a recording. */
import type { CapturedEvent } from '../../capture/format.ts';
import { type ReadCapture, readCaptureOf } from '../../capture/read-capture.ts';
import type { TapEvent } from '../../transport/tap.ts';
import { Recording } from './recording.ts';

/** A capture that was opened: its rows, and what a server replays. */
export interface OpenedCapture {
  readonly recording: Recording;
  readonly capture: ReadCapture;
}

/** Throws `invalid-capture` and `capture-too-new`. */
export function openCapture(id: string, name: string, text: string): OpenedCapture {
  const capture = readCaptureOf(name, text);
  const { header, events, isComplete } = capture;
  const began = Date.parse(header.made) || 0;
  const limits = { maxEvents: Number.POSITIVE_INFINITY, maxChars: Number.POSITIVE_INFINITY };
  const recording = new Recording({ id, name, began, isComplete }, limits);
  let last = 0;
  for (const event of events) {
    // The search by `seq` needs ascending numbers.
    last = Math.max(last + 1, event.seq);
    const shown = { ...tapEvent(event), seq: last, at: began + event.ms, connection: event.connection } as TapEvent;
    recording.add(shown, undefined, event.kind === 'message' ? event.m : undefined);
  }
  return { recording, capture };
}

function tapEvent({ seq: _seq, ms: _ms, ...event }: CapturedEvent): object {
  if (event.kind !== 'message') return event;
  const { m, raw, ...rest } = event;
  return { ...rest, text: m === undefined ? (raw ?? '') : JSON.stringify(m) };
}
