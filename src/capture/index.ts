/** Captures: what happened on connections, without secrets, to be read, replayed and tested against. */

export type {
  CapturedEvent,
  CapturedMessage,
  CaptureEnd,
  CaptureHeader,
} from './format.ts';
export { type ReadCapture, readCapture } from './read-capture.ts';
export type { RedactionOptions } from './redaction/redact-messages.ts';
export type { ReplayFault } from './replay/faults.ts';
export { type RecordedCall, recordedCalls } from './replay/recorded-calls.ts';
export { type ReplayOptions, type ReplayServer, replayServer } from './replay/replay-server.ts';
export { type Capture, type CaptureOptions, createCapture } from './write-capture.ts';
