/** The options of `createTestConnection` and `eachProtocolVersion`. */
import type { ToolExamples } from '../agents/quality/example-calls.ts';
import type { FindingLevel } from '../agents/quality/finding.ts';
import type { ConnectOptions } from '../client/api/options.ts';
import { count, isFunction, type Rule } from '../lib/options/option-rules.ts';
import type { FakeClock } from '../lib/time/fake-clock.ts';
import { isRecord } from '../lib/values/is.ts';
import type { PrincipalDetails } from '../ports/principal.ts';
import type { ProtocolVersion } from '../protocol/revisions/revisions.ts';
import type { ScriptedHandlers } from './script.ts';

/**
 * The options of `createTestConnection`: those of `connect`, with scripted handlers and a clock.
 * @area client
 * @of `createTestConnection`
 */
export interface TestConnectionOptions extends Omit<ConnectOptions, 'handlers' | 'protocolVersions'> {
  /**
   * The protocol version to use.
   * @default computed the newest
   * @rule oneVersion
   */
  readonly protocolVersion?: ProtocolVersion;
  /** What the user and the model answer. Every connection starts the script from the beginning. */
  readonly handlers?: ScriptedHandlers;
  /**
   * The clock of client and server: made by `createFakeClock()`.
   * @default computed time passes by itself
   * @rule fakeClock
   */
  readonly clock?: FakeClock;
  /**
   * Who calls: issuer and subject, with the scopes of a test, or a text that names both.
   * @default off
   * @rule principalRule
   */
  readonly principal?: string | PrincipalDetails;
  /**
   * Runs handlers that request input again after every answer, as the newest protocol version does.
   * @default true
   */
  readonly alwaysReplay?: boolean;
}

/**
 * The options of `eachProtocolVersion`.
 * @area client
 * @of `eachProtocolVersion`
 */
export interface EachProtocolVersionOptions extends Omit<TestConnectionOptions, 'protocolVersion'> {
  /**
   * The protocol versions to use.
   * @default computed all, the oldest first
   * @rule someVersions
   */
  readonly protocolVersions?: readonly ProtocolVersion[];
}

export const fakeClock: Rule = {
  holds: (value) => isRecord(value) && isFunction(value.advance),
  must: 'be the result of createFakeClock()',
};

/**
 * The options of `expectToolQuality`.
 * @area client
 * @of `expectToolQuality`
 */
export interface ToolQualityOptions {
  /**
   * The most tokens that all tools and the instructions may take.
   * @default off
   * @rule tokenCount
   */
  readonly budget?: number;
  /**
   * Rules that are not applied: `description-long`, or `description-long:search` for one tool.
   * @default off
   */
  readonly ignore?: readonly string[];
  /**
   * The lowest level that fails: `error`, `warning` or `note`.
   * @default 'error'
   */
  readonly failOn?: FindingLevel;
  /**
   * Arguments to call tools with, by the name of the tool. The tools really run.
   * @default off
   * @rule exampleLists
   */
  readonly examples?: ToolExamples;
  /**
   * The most tokens that the result of an example may take.
   * @default 5000
   * @rule tokenCount
   */
  readonly resultBudget?: number;
}

export const tokenCount: Rule = count;

export const exampleLists: Rule = {
  holds: (value) => isRecord(value) && Object.values(value).every((all) => Array.isArray(all) && all.every(isRecord)),
  must: 'be an object of lists of arguments, such as { search: [{ query: "x" }] }',
};
