/** Captures: recordings of connections without secrets, to be read, replayed and tested against. */

export { compareResults, type Difference } from './compare-results.ts';
export type {
  CapturedEvent,
  CapturedMessage,
  CaptureEnd,
  CaptureHeader,
} from './format.ts';
export { handlersFromCapture } from './handlers-from-capture.ts';
export type { CaptureOptions, CompareOptions, RedactionOptions, ReplayFault, ReplayOptions } from './options.ts';
export { type ReadCapture, readCapture } from './read-capture.ts';
export { repeatCalls } from './repeat-calls.ts';
export type { RepeatedCall, RepeatOptions } from './repeat-options.ts';
export { callsInCapture, type RecordedAnswer, type RecordedCall } from './replay/calls-in-capture.ts';
export { type ReplayServer, replayServer } from './replay/replay-server.ts';
export { type Capture, createCapture } from './write-capture.ts';
