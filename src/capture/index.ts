/** Captures: recordings of connections without secrets, to be read, replayed and tested against. */

export { type CompareOptions, compareResults, type Difference } from './compare-results.ts';
export type {
  CapturedEvent,
  CapturedMessage,
  CaptureEnd,
  CaptureHeader,
} from './format.ts';
export { handlersFromCapture } from './handlers-from-capture.ts';
export { type ReadCapture, readCapture } from './read-capture.ts';
export type { RedactionOptions } from './redaction/redact-messages.ts';
export { type RepeatedCall, type RepeatOptions, repeatCalls } from './repeat-calls.ts';
export { callsInCapture, type RecordedAnswer, type RecordedCall } from './replay/calls-in-capture.ts';
export type { ReplayFault } from './replay/faults.ts';
export { type ReplayOptions, type ReplayServer, replayServer } from './replay/replay-server.ts';
export { type Capture, type CaptureOptions, createCapture } from './write-capture.ts';
