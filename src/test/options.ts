/** The options of `createTestConnection` and `eachProtocolVersion`. */
import type { ConnectOptions } from '../client/api/options.ts';
import { isFunction, type Rule } from '../lib/options/option-rules.ts';
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
