/** The test kit: a server under every protocol version, scripted handlers, a fake clock, recorded messages, the quality of tools. */
export type { ToolQualityReport } from '../agents/quality/check-tools.ts';
export type { ToolCost } from '../agents/quality/cost.ts';
export type { EvalAgent, EvalAnswer, EvalCall, EvalTask } from '../agents/quality/eval-agent.ts';
export type { ExampleCost, ToolExamples } from '../agents/quality/example-calls.ts';
export type { FindingLevel, QualityRule, ToolFinding } from '../agents/quality/finding.ts';
export type { StopTimer } from '../lib/time/deadlines.ts';
export { createFakeClock, type FakeClock } from '../lib/time/fake-clock.ts';
export { protocolVersions } from '../protocol/revisions/revisions.ts';
export {
  createTestConnection,
  eachProtocolVersion,
  type ServerLike,
  type TestConnection,
} from './every-revision.ts';
export type { EachProtocolVersionOptions, TestConnectionOptions, ToolQualityOptions } from './options.ts';
export type { RecordedMessage } from './recording.ts';
export type { FormAnswer, SampleAnswer, ScriptedHandlers, UrlAnswer } from './script.ts';
export { expectToolQuality } from './tool-quality.ts';
