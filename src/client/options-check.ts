/** Refuses options of connect that could only fail later, with the place and the mend. */
import { TenonError } from '../jsonrpc/errors.ts';
import { dialectNames } from '../protocol/dialects/dialects.ts';
import { errorCodeTables } from '../protocol/dialects/error-codes.ts';
import { isImplementation } from '../protocol/generated/record-checks.ts';
import { extensionsProblem } from '../protocol/meta-keys.ts';
import { isRecord } from '../protocol/model/primitives.ts';
import { unknownName } from '../protocol/nearest-name.ts';
import type { Fields } from '../protocol/neutral.ts';

const logLevels: readonly string[] = ['debug', 'info', 'notice', 'warning', 'error', 'critical', 'alert', 'emergency'];

interface Rule {
  readonly holds: (value: unknown) => boolean;
  readonly mend: string;
}

const isFunction = (value: unknown): boolean => typeof value === 'function';
const isPositive = (value: unknown): boolean => typeof value === 'number' && Number.isFinite(value) && value > 0;
const isCount = (value: unknown): boolean => isPositive(value) && Number.isInteger(value);
const isLevel = (value: unknown): boolean => typeof value === 'string' && logLevels.includes(value);
const isTexts = (value: unknown): boolean => Array.isArray(value) && value.every((one) => typeof one === 'string');
const isDialects = (value: unknown): boolean =>
  Array.isArray(value) && value.every((one) => dialectNames.includes(one));
const isTable = (value: unknown): boolean => typeof value === 'string' && Object.hasOwn(errorCodeTables, value);

const isExtension = (value: unknown): boolean =>
  isRecord(value) && (value.kind === 'extension' || value.kind === 'used-extension');

const called: Rule = { holds: isFunction, mend: 'Pass a function.' };
const positive: Rule = { holds: isPositive, mend: 'Use a finite number over 0, or leave it out.' };

const optionRules: Readonly<Record<string, Rule>> = {
  client: { holds: isImplementation, mend: "Write client: { name: '…', version: '…' }." },
  revisions: { holds: isTexts, mend: 'Write a list of revisions.' },
  dialects: { holds: isDialects, mend: `Write a list of ${dialectNames.join(', ')}.` },
  errorCodes: { holds: isTable, mend: `Use one of ${Object.keys(errorCodeTables).join(', ')}.` },
  answers: { holds: isRecord, mend: 'Write answers: { form: (asked) => … }.' },
  extensions: {
    holds: (value) => (Array.isArray(value) ? value.every(isExtension) : extensionsProblem(value) === undefined),
    mend: "Write extensions: [extension], or { 'com.example/name': {} } with a prefix before each name.",
  },
  reconnect: {
    holds: (value) => typeof value === 'boolean' || isRecord(value),
    mend: 'Use true, false, or { firstMs, maxMs, maxPerMinute, breakAfter, settleMs }.',
  },
  trusted: { holds: (value) => typeof value === 'boolean', mend: 'Use true or false.' },
  expects: { holds: isTexts, mend: "Write a list such as ['tools', 'resources.subscribe']." },
  signal: { holds: (value) => value instanceof AbortSignal, mend: 'Pass the signal of an AbortController.' },
  timeoutMs: positive,
  totalMs: positive,
  probeTimeoutMs: positive,
  answerTimeoutMs: positive,
  maxRounds: { holds: isCount, mend: 'Use a whole number over 0, or leave it out.' },
  cache: {
    holds: (value) => value === false || isRecord(value),
    mend: 'Use false, or { ttlMs, maxEntries, maxBytes, shared }.',
  },
  pingEveryMs: positive,
  strict: { holds: (value) => typeof value === 'boolean', mend: 'Use true or false.' },
  limits: { holds: isRecord, mend: 'Write limits: { maxCharacters: … }.' },
  deadlines: { holds: isRecord, mend: 'Pass what createDeadlines gives, or leave it out.' },
  logLevel: { holds: isLevel, mend: `Use one of ${logLevels.join(', ')}.` },
  log: called,
  outputs: called,
  trace: called,
  fault: called,
  closed: called,
};

const answerRules: Readonly<Record<string, Rule>> = {
  form: called,
  url: called,
  pageDone: called,
  pageTimeoutMs: positive,
  urlSchemes: { holds: isTexts, mend: "Write a list such as ['https']." },
  sample: called,
  sampleTools: { holds: (value) => typeof value === 'boolean', mend: 'Use true or false.' },
  roots: { holds: (value) => Array.isArray(value) || isFunction(value), mend: 'Pass a list, or a function for one.' },
};

const reconnectRules: Readonly<Record<string, Rule>> = {
  firstMs: positive,
  maxMs: positive,
  settleMs: positive,
  maxPerMinute: { holds: isCount, mend: 'Use a whole number over 0, or leave it out.' },
  breakAfter: { holds: isCount, mend: 'Use a whole number over 0, or leave it out.' },
};

const cacheRules: Readonly<Record<string, Rule>> = {
  ttlMs: positive,
  maxEntries: { holds: isCount, mend: 'Use a whole number over 0, or leave it out.' },
  maxBytes: positive,
  shared: {
    holds: (value) => isRecord(value) && value.kind === 'shared-cache',
    mend: 'Pass what createSharedCache gives.',
  },
};

/** Throws `invalid-argument` before anything is sent. */
export function checkConnectOptions(options: unknown): void {
  if (!isRecord(options)) throw refused('options', 'Write connect(target, { … }).');
  hold('', options, optionRules);
  if (isRecord(options.answers)) hold('answers.', options.answers, answerRules);
  if (isRecord(options.cache)) hold('cache.', options.cache, cacheRules);
  if (isRecord(options.reconnect)) hold('reconnect.', options.reconnect, reconnectRules);
}

function hold(place: string, given: Readonly<Fields>, rules: Readonly<Record<string, Rule>>): void {
  const unknown = unknownName(given, Object.keys(rules));
  if (unknown !== undefined) throw unheardOf(`${place}${unknown.name}`, unknown.mend);
  for (const [name, { holds, mend }] of Object.entries(rules)) {
    if (given[name] !== undefined && !holds(given[name])) throw refused(`${place}${name}`, mend);
  }
}

const unheardOf = (place: string, hint: string): TenonError =>
  new TenonError('invalid-argument', `connect(): there is no option ${place}.`, { hint, details: { place } });

const refused = (place: string, hint: string): TenonError =>
  new TenonError('invalid-argument', `connect(): ${place} is not what it has to be.`, { hint, details: { place } });
