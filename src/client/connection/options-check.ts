/** Checks the options of connect, with the place and a hint. */

import { deepest } from '../../jsonrpc/limits.ts';
import { areDialects, dialectNames, errorCodeTableNames, isErrorCodeTable } from '../../protocol/dialects/dialects.ts';
import { isImplementation } from '../../protocol/generated/record-checks.ts';
import { extensionsProblem } from '../../protocol/meta-keys.ts';
import { isRecord } from '../../protocol/model/primitives.ts';
import type { Fields } from '../../protocol/neutral.ts';
import {
  called,
  count,
  flag,
  isFunction,
  type Problem,
  positive,
  problematic,
  problemsIn,
  type Rules,
  refused,
} from '../../protocol/option-rules.ts';
import { expectations } from '../api/options.ts';

const logLevels: readonly string[] = ['debug', 'info', 'notice', 'warning', 'error', 'critical', 'alert', 'emergency'];

const isLevel = (value: unknown): boolean => typeof value === 'string' && logLevels.includes(value);
const isTexts = (value: unknown): boolean => Array.isArray(value) && value.every((one) => typeof one === 'string');

const isExtension = (value: unknown): boolean =>
  isRecord(value) && (value.kind === 'extension' || value.kind === 'used-extension');

const whose = 'connect()';

const optionRules: Rules = {
  client: { holds: isImplementation, mend: "Write client: { name: '…', version: '…' }." },
  revisions: { holds: isTexts, mend: 'Write a list of revisions.' },
  dialects: { holds: areDialects, mend: `Write a list of ${dialectNames.join(', ')}.` },
  errorCodes: { holds: isErrorCodeTable, mend: `Use one of ${errorCodeTableNames.join(', ')}.` },
  answers: { holds: isRecord, mend: 'Write answers: { form: (asked) => … }.' },
  extensions: {
    holds: (value) => (Array.isArray(value) ? value.every(isExtension) : extensionsProblem(value) === undefined),
    mend: "Write extensions: [extension], or { 'com.example/name': {} } with a prefix before each name.",
  },
  reconnect: {
    holds: (value) => typeof value === 'boolean' || isRecord(value),
    mend: 'Use true, false, or { firstMs, maxMs, maxPerMinute, breakAfter, settleMs }.',
  },
  trusted: flag,
  expects: {
    holds: (value) => Array.isArray(value) && value.every((one) => expectations.includes(one)),
    mend: `Write a list of ${expectations.join(', ')}.`,
  },
  signal: { holds: (value) => value instanceof AbortSignal, mend: 'Pass the signal of an AbortController.' },
  timeoutMs: positive,
  totalMs: positive,
  probeTimeoutMs: positive,
  answerTimeoutMs: positive,
  maxRounds: count,
  cache: {
    holds: (value) => value === false || isRecord(value),
    mend: 'Use false, or { ttlMs, maxEntries, maxBytes, shared }.',
  },
  pingEveryMs: positive,
  strict: flag,
  limits: { holds: isRecord, mend: 'Write limits: { maxCharacters: … }.' },
  deadlines: { holds: isRecord, mend: 'Pass what createDeadlines gives, or leave it out.' },
  logLevel: { holds: isLevel, mend: `Use one of ${logLevels.join(', ')}.` },
  log: called,
  outputs: called,
  trace: called,
  fault: called,
  closed: called,
};

const answerRules: Rules = {
  form: called,
  url: called,
  pageDone: called,
  pageTimeoutMs: positive,
  urlSchemes: { holds: isTexts, mend: "Write a list such as ['https']." },
  sample: called,
  sampleTools: flag,
  roots: { holds: (value) => Array.isArray(value) || isFunction(value), mend: 'Pass a list, or a function for one.' },
};

const reconnectRules: Rules = {
  firstMs: positive,
  maxMs: positive,
  settleMs: positive,
  maxPerMinute: count,
  breakAfter: count,
};

const cacheRules: Rules = {
  ttlMs: positive,
  maxEntries: count,
  maxBytes: positive,
  shared: {
    holds: (value) => isRecord(value) && value.kind === 'shared-cache',
    mend: 'Pass what createSharedCache gives.',
  },
};

const limitRules: Rules = {
  maxCharacters: count,
  maxDepth: {
    holds: (value) => count.holds(value) && (value as number) <= deepest,
    mend: `Use a whole number from 1 to ${deepest}, or leave it out.`,
  },
  maxBatch: count,
};

/** Options that are tables of options. */
const innerRules: Readonly<Record<string, Rules>> = {
  answers: answerRules,
  cache: cacheRules,
  reconnect: reconnectRules,
  limits: limitRules,
};

/** All problems of the options for connecting; `place` is put before each name. */
export function connectProblems(place: string, options: Readonly<Fields>): Problem[] {
  const problems = problemsIn(place, options, optionRules);
  for (const [name, rules] of Object.entries(innerRules)) {
    const inner = options[name];
    if (isRecord(inner)) problems.push(...problemsIn(`${place}${name}.`, inner, rules));
  }
  return problems;
}

/** Throws `invalid-argument` before anything is sent. */
export function checkConnectOptions(options: unknown): void {
  if (!isRecord(options)) throw refused(whose, 'options', 'Write connect(target, { … }).');
  const [first] = connectProblems('', options);
  if (first !== undefined) throw problematic(whose, first);
}
