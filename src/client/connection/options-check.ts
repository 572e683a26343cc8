/** Checks the options of connect, with the place and a hint. */

import { deepest } from '../../jsonrpc/limits.ts';
import {
  callback,
  checkOptions,
  count,
  flag,
  group,
  isFunction,
  isTexts,
  type Problem,
  positive,
  problemsIn,
  type Rule,
  type Rules,
  wrong,
} from '../../lib/options/option-rules.ts';
import type { Fields } from '../../lib/values/is.ts';
import { isRecord } from '../../lib/values/is.ts';
import { compatRule } from '../../protocol/dialects/compat-rule.ts';
import { isImplementation } from '../../protocol/generated/record-checks.ts';
import { extensionsProblem } from '../../protocol/meta-keys.ts';
import { rootProblem } from '../answers/handlers.ts';
import { handlerTasksRule } from '../answers/tasks/options.ts';
import { requirableCapabilities } from '../api/options.ts';

const logLevels: readonly string[] = ['debug', 'info', 'notice', 'warning', 'error', 'critical', 'alert', 'emergency'];

const isLevel = (value: unknown): boolean => typeof value === 'string' && logLevels.includes(value);
const level: Rule = { holds: isLevel, must: `be one of ${logLevels.join(', ')}` };

const isCapability = (value: unknown): boolean =>
  typeof value === 'string' &&
  (/^experimental\../.test(value) || (requirableCapabilities as readonly string[]).includes(value));

const isExtension = (value: unknown): boolean =>
  isRecord(value) && (value.type === 'extension' || value.type === 'used-extension');

const reconnectRules: Rules = {
  initialDelayMs: positive,
  maxDelayMs: positive,
  resetAfterMs: positive,
  maxAttemptsPerMinute: count,
  maxConsecutiveFailures: count,
  trustToolAnnotations: flag,
};

const cacheRules: Rules = {
  ttlMs: positive,
  maxEntries: count,
  maxChars: positive,
  shared: {
    holds: (value) => isRecord(value) && value.type === 'shared-cache',
    must: 'be the result of createSharedCache()',
  },
};

/** Roots that a function returns are checked when a server requests them. */
export const rootsRule: Rule = {
  holds: (value) =>
    isFunction(value) || (Array.isArray(value) && value.every((root) => rootProblem(root) === undefined)),
  must: "be a list such as [{ uri: 'file:///home/me/project' }], or a function that returns one",
  entry(root) {
    const problem = rootProblem(root);
    return problem === undefined ? undefined : { problem };
  },
};

/** The rules of the options of connect. */
export const connectRules: Rules = {
  clientInfo: { holds: isImplementation, must: "be an object such as { name: 'my-client', version: '1.0.0' }" },
  protocolVersions: { holds: isTexts, must: 'be a list of protocol versions' },
  compat: compatRule,
  handlers: group({
    elicitForm: callback,
    elicitUrl: callback,
    onElicitationComplete: callback,
    allowedUrlSchemes: { holds: isTexts, must: "be a list such as ['https']" },
    sample: callback,
    samplingTools: flag,
    roots: rootsRule,
    tasks: handlerTasksRule,
  }),
  extensions: {
    holds: (value) => (Array.isArray(value) ? value.every(isExtension) : extensionsProblem(value) === undefined),
    must: "be a list of extensions, or an object such as { 'com.example/name': {} } with a prefix before each name",
  },
  reconnect: {
    holds: (value) => typeof value === 'boolean' || isRecord(value),
    must: `be true, false, or an object with ${Object.keys(reconnectRules).join(', ')}`,
    fields: reconnectRules,
  },
  requiredCapabilities: {
    holds: (value) => Array.isArray(value) && value.every(isCapability),
    must: `be a list of ${requirableCapabilities.join(', ')} or experimental.…`,
  },
  contract: {
    holds: (value) => isRecord(value) && value.type === 'contract',
    must: 'be the contract of a module that tenon types has written, or the result of createContract()',
  },
  experimental: {
    holds: (value) => isRecord(value) && Object.values(value).every(isRecord),
    must: 'be an object of objects such as { name: {} }',
  },
  signal: { holds: (value) => value instanceof AbortSignal, must: 'be the signal of an AbortController' },
  timeoutMs: positive,
  timeouts: group({
    maxTotalMs: positive,
    discoveryMs: positive,
    pingIntervalMs: positive,
    inputMs: positive,
    urlElicitationMs: positive,
    taskOutageMs: positive,
    refreshIntervalMs: positive,
  }),
  cache: {
    holds: (value) => value === false || isRecord(value),
    must: `be false, or an object with ${Object.keys(cacheRules).join(', ')}`,
    fields: cacheRules,
  },
  tasks: group({
    memory: {
      holds: (value) => isRecord(value) && [value.read, value.add, value.delete].every(isFunction),
      must: "be the result of taskFile('./tasks.json'), or an object with read, add and delete",
    },
  }),
  strict: flag,
  limits: group({
    maxMessageChars: count,
    maxDepth: {
      holds: (value) => count.holds(value) && (value as number) <= deepest,
      must: `be an integer from 1 to ${deepest}`,
    },
    maxBatch: count,
    maxValues: count,
    maxInputRounds: count,
    maxListItems: count,
    maxListChars: count,
  }),
  tap: callback,
  logLevel: level,
  onLog: callback,
  jsonSchemaValidator: callback,
  telemetry: callback,
  onWarning: callback,
  onClose: callback,
};

/** All problems of the options of connect; `place` is put before the name of each. */
export const connectProblems = (place: string, options: Readonly<Fields>): Problem[] =>
  problemsIn(place, options, connectRules);

/** Throws `invalid-argument` before anything is sent. */
export const checkConnectOptions = (options: unknown): void => checkOptions('connect()', options, connectRules);

/** Throws `invalid-argument` for a level that `logLevel` does not accept either. */
export function checkLogLevel(value: unknown): void {
  if (!level.holds(value)) throw wrong('setLogLevel()', 'level', level.must);
}
