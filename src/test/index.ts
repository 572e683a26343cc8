/** The test kit: a server under every revision, scripted answers, a clock that stands still, messages as they crossed. */
export { createFakeClock, type FakeClock } from '../jsonrpc/fake-clock.ts';
export { type RevisionId, revisionIds } from '../protocol/revisions/revisions.ts';
export { connectAt, everyRevision, type Served, type Trial, type TrialOptions } from './every-revision.ts';
export type { Frame } from './recording.ts';
export type { FormAnswer, SampleAnswer, Script, UrlAnswer } from './script.ts';
