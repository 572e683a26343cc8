/** Checks the options of createHost, with the place and a hint. */

import { connectProblems } from '../client/connection/options-check.ts';
import { TenonError } from '../jsonrpc/errors.ts';
import { isRecord } from '../protocol/model/primitives.ts';
import type { Fields } from '../protocol/neutral.ts';
import {
  called,
  count,
  flag,
  isFunction,
  type Problem,
  positive,
  problematic,
  problemsIn,
  type Rule,
  type Rules,
  refused,
} from '../protocol/option-rules.ts';

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

/** Options that the host sets itself. */
const ownOptions: readonly string[] = ['answers', 'client', 'closed', 'fault', 'log'];

/** All problems of the options for connecting. */
export function clientProblems(place: string, given: unknown): Problem[] {
  if (!isRecord(given)) return [{ place, text: `${place} has to be an object.`, mend: 'Give { timeoutMs: … }.' }];
  const own = ownOptions.filter((name) => given[name] !== undefined);
  const rest = Object.fromEntries(Object.entries(given).filter(([name]) => !own.includes(name)));
  return [...own.map((name) => taken(`${place}.${name}`, name)), ...connectProblems(`${place}.`, rest)];
}

const mends: Readonly<Record<string, string>> = {
  answers: 'Pass sample, ask and roots to createHost.',
  closed: 'Read host.changes() instead.',
};

const taken = (place: string, name: string): Problem => ({
  place,
  text: `${place} is for the host to say.`,
  mend: mends[name] ?? `Pass ${name} to createHost.`,
});

/** All problems of the options of a host, except for its servers. */
export function hostProblems(options: Readonly<Fields>, more: Rules): Problem[] {
  const { consent, samplingLimits, connect } = options;
  return [
    ...problemsIn('', options, { ...optionRules, ...more }),
    ...(isRecord(consent) ? problemsIn('consent.', consent, consentRules) : []),
    ...(isRecord(samplingLimits) ? problemsIn('samplingLimits.', samplingLimits, limitRules) : []),
    ...(isRecord(connect) ? clientProblems('connect', connect) : []),
    ...(['sample', 'roots'] as const).flatMap((name) => unallowed(options, name)),
  ];
}

/** What could only ever be refused is a mistake. */
function unallowed({ consent, ...options }: Readonly<Fields>, name: 'sample' | 'roots'): Problem[] {
  if (options[name] === undefined || consent === 'allow-all') return [];
  if (isRecord(consent) && consent[name] !== undefined) return [];
  const mend = `Pass consent: { ${name}: (request) => 'allow' } with a decision of yours, or consent: 'allow-all'.`;
  return [{ place: `consent.${name}`, text: `${name} is given, and nobody may allow its use.`, mend }];
}

/** What was given, known to be an object with servers. */
export function checkShape(options: unknown): asserts options is Readonly<Fields> {
  const mend = "Write createHost({ servers: { files: { command: 'npx', args: ['…'] } } }).";
  if (!isRecord(options)) throw refused(whose, 'options', mend);
  if (options.servers === undefined)
    throw refused(whose, 'servers', 'mcpServers' in options ? 'Write createHost({ servers: config }).' : mend);
}

/** Throws all of them as one. */
export function refuseAll(problems: readonly Problem[]): void {
  const [first, second] = problems;
  if (first === undefined) return;
  if (second === undefined) throw problematic(whose, first);
  const said = problems.map(({ text, mend }) => `${text} ${mend}`.trim());
  throw new TenonError('invalid-argument', `${whose}: ${said.join(' ')}`, {
    details: { places: problems.map(({ place }) => place) },
  });
}
