/** Refuses options of createHost that could only fail later, with the place and the mend. */
import { TenonError } from '../jsonrpc/errors.ts';
import { isRecord } from '../protocol/model/primitives.ts';
import { unknownName } from '../protocol/nearest-name.ts';
import type { Fields } from '../protocol/neutral.ts';

interface Rule {
  readonly holds: (value: unknown) => boolean;
  readonly mend: string;
}

const isFunction = (value: unknown): boolean => typeof value === 'function';
const isPositive = (value: unknown): boolean => typeof value === 'number' && Number.isFinite(value) && value > 0;
const isCount = (value: unknown): boolean => isPositive(value) && Number.isInteger(value);
const isFlag = (value: unknown): boolean => typeof value === 'boolean';

const called: Rule = { holds: isFunction, mend: 'Pass a function.' };
const flag: Rule = { holds: isFlag, mend: 'Use true or false.' };
const positive: Rule = { holds: isPositive, mend: 'Use a finite number over 0, or leave it out.' };
const count: Rule = { holds: isCount, mend: 'Use a whole number over 0, or leave it out.' };
const tableOrFunction: Rule = {
  holds: (value) => isRecord(value) || isFunction(value),
  mend: 'Pass an object, or a function that is given the name of a server.',
};

const optionRules: Readonly<Record<string, Rule>> = {
  servers: { holds: isRecord, mend: 'Write servers: { mcpServers: { … } }, or the inner record alone.' },
  client: { holds: isRecord, mend: "Write client: { name: '…', version: '…' }." },
  env: { holds: isRecord, mend: 'Pass a table of variables.' },
  consent: {
    holds: (value) => value === 'allow-all' || isRecord(value),
    mend: "Write consent: { tool: (request) => 'allow' }, or 'allow-all'.",
  },
  consentTimeoutMs: positive,
  sample: called,
  sampleTools: flag,
  samplingLimits: tableOrFunction,
  ask: called,
  opensPages: flag,
  roots: { holds: (value) => Array.isArray(value) || isFunction(value), mend: 'Pass a list, or a function for one.' },
  decided: called,
  tellRequests: flag,
  listTimeoutMs: positive,
  maxListed: count,
  connect: tableOrFunction,
  log: called,
  fault: called,
  deadlines: { holds: isRecord, mend: 'Pass what createDeadlines gives, or leave it out.' },
};

const consentRules: Readonly<Record<string, Rule>> = { tool: called, sample: called, sampled: called, roots: called };
const limitRules: Readonly<Record<string, Rule>> = { perMinute: count, maxTokens: count };

/** What was given, known to be usable. Throws `invalid-argument` before anything is started. */
export function checkHostOptions(options: unknown): void {
  if (!isRecord(options)) throw refused('options is', 'Write createHost({ servers: … }).');
  hold('', options, optionRules);
  if (options.servers === undefined) throw refused('servers is', optionRules.servers?.mend ?? '');
  if (isRecord(options.consent)) hold('consent.', options.consent, consentRules);
  if (isRecord(options.samplingLimits)) hold('samplingLimits.', options.samplingLimits, limitRules);
  for (const name of ['sample', 'roots'] as const) checkAllowed(options, name);
}

/** What could only ever be refused is a mistake. */
function checkAllowed({ consent, ...options }: Readonly<Fields>, name: 'sample' | 'roots'): void {
  if (options[name] === undefined || consent === 'allow-all') return;
  if (isRecord(consent) && consent[name] !== undefined) return;
  throw new TenonError('invalid-argument', `createHost(): ${name} is given, and nobody may allow its use.`, {
    hint: `Pass consent: { ${name}: (request) => 'allow' } with a decision of yours, or consent: 'allow-all'.`,
    details: { place: `consent.${name}` },
  });
}

function hold(place: string, given: Readonly<Fields>, rules: Readonly<Record<string, Rule>>): void {
  const unknown = unknownName(given, Object.keys(rules));
  if (unknown !== undefined)
    throw new TenonError('invalid-argument', `createHost(): there is no option ${place}${unknown.name}.`, {
      hint: unknown.mend,
    });
  for (const [name, { holds, mend }] of Object.entries(rules)) {
    if (given[name] !== undefined && !holds(given[name])) throw refused(`${place}${name} is`, mend);
  }
}

const refused = (what: string, hint: string): TenonError =>
  new TenonError('invalid-argument', `createHost(): ${what} not what it has to be.`, { hint });
