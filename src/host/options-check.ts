/** Refuses options of createHost that could only fail later, with the place and the mend. */
import {
  called,
  count,
  flag,
  hold,
  isFunction,
  positive,
  type Rule,
  type Rules,
  refused,
} from '../client/option-rules.ts';
import { TenonError } from '../jsonrpc/errors.ts';
import { isRecord } from '../protocol/model/primitives.ts';
import type { Fields } from '../protocol/neutral.ts';

const whose = 'createHost()';

const tableOrFunction: Rule = {
  holds: (value) => isRecord(value) || isFunction(value),
  mend: 'Pass an object, or a function that is given the name of a server.',
};

const optionRules: Rules = {
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

const consentRules: Rules = { tool: called, sample: called, sampled: called, roots: called };
const limitRules: Rules = { perMinute: count, maxTokens: count };

/** What was given, known to be usable. Throws `invalid-argument` before anything is started. */
export function checkHostOptions(options: unknown): void {
  if (!isRecord(options)) throw refused(whose, 'options', 'Write createHost({ servers: … }).');
  hold(whose, '', options, optionRules);
  if (options.servers === undefined) throw refused(whose, 'servers', optionRules.servers?.mend ?? '');
  if (isRecord(options.consent)) hold(whose, 'consent.', options.consent, consentRules);
  if (isRecord(options.samplingLimits)) hold(whose, 'samplingLimits.', options.samplingLimits, limitRules);
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
