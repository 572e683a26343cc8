/** The test kit: a server under every protocol version, scripted handlers, a fake clock, recorded messages. */
export type { StopTimer } from '../lib/time/deadlines.ts';
export { createFakeClock, type FakeClock } from '../lib/time/fake-clock.ts';
export { protocolVersions } from '../protocol/revisions/revisions.ts';
export {
  createTestConnection,
  eachProtocolVersion,
  type ServerLike,
  type TestConnection,
} from './every-revision.ts';
export type { EachProtocolVersionOptions, TestConnectionOptions } from './options.ts';
export type { RecordedMessage } from './recording.ts';
export type { FormAnswer, SampleAnswer, ScriptedHandlers, UrlAnswer } from './script.ts';
