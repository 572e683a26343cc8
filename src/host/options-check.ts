/** Checks the options of createHost, with the place and a hint. */

import { connectProblems } from '../client/connection/options-check.ts';
import { TenonError } from '../lib/errors/tenon-error.ts';
import { optionError, type Problem, problemsIn, type Rules, wrong } from '../lib/options/option-rules.ts';
import type { Fields } from '../lib/values/is.ts';
import { isRecord } from '../lib/values/is.ts';

const caller = 'createHost()';

/** Options that the host sets itself. */
const ownOptions: readonly string[] = ['handlers', 'clientInfo', 'onClose', 'onWarning', 'onLog'];

/** All problems of the options for connecting. */
export function clientProblems(place: string, given: unknown): Problem[] {
  if (!isRecord(given)) return [{ place, text: `${place} is not valid.`, hint: `${place} must be an object.` }];
  const own = ownOptions.filter((name) => given[name] !== undefined);
  const rest = Object.fromEntries(Object.entries(given).filter(([name]) => !own.includes(name)));
  return [...own.map((name) => taken(`${place}.${name}`, name)), ...connectProblems(`${place}.`, rest)];
}

const ownOptionHints: Readonly<Record<string, string>> = {
  handlers: 'Pass sample, elicit and roots to createHost.',
  onClose: 'Use host.subscribe() instead.',
};

const taken = (place: string, name: string): Problem => ({
  place,
  text: `${place} is set by the host.`,
  hint: ownOptionHints[name] ?? `Pass ${name} to createHost.`,
});

/** All problems of the options of a host, except for its servers. */
export function hostProblems(options: Readonly<Fields>, table: Rules): Problem[] {
  return [
    ...problemsIn('', options, table),
    ...(isRecord(options.connectOptions) ? clientProblems('connectOptions', options.connectOptions) : []),
    ...(['sample', 'roots'] as const).flatMap((name) => unallowed(options, name)),
    ...(options.policy !== undefined && options.consent === 'allow-all' ? [unasked] : []),
  ];
}

const unasked: Problem = {
  place: 'consent',
  text: "consent is 'allow-all' beside a policy: where a rule asks, the user would not be asked.",
  hint: 'Remove consent, or pass hooks: what the policy allows needs no consent.',
};

/** A handler whose requests would always be denied is a problem. */
function unallowed({ consent, ...options }: Readonly<Fields>, name: 'sample' | 'roots'): Problem[] {
  if (options[name] === undefined || consent === 'allow-all') return [];
  // A policy can allow sampling without a hook.
  if (name === 'sample' && options.policy !== undefined) return [];
  if (isRecord(consent) && consent[name] !== undefined) return [];
  const hint = `Pass consent: { ${name}: (request) => 'allow' } with a decision of yours, or consent: 'allow-all'.`;
  return [
    {
      place: `consent.${name}`,
      text: `${name} is set, but consent.${name} is not: it would never be allowed.`,
      hint,
    },
  ];
}

/** Throws unless the options are an object with servers. */
export function checkShape(options: unknown): asserts options is Readonly<Fields> {
  const example = "such as createHost({ servers: { files: { command: 'npx', args: ['…'] } } })";
  if (!isRecord(options)) throw wrong(caller, 'options', `be an object, ${example}`);
  if (options.servers === undefined)
    throw wrong(
      caller,
      'servers',
      'mcpServers' in options ? 'be set: createHost({ servers: config })' : `be set, ${example}`,
    );
}

/** Throws one error for all problems. */
export function refuseAll(problems: readonly Problem[], by = caller): void {
  const [first, second] = problems;
  if (first === undefined) return;
  if (second === undefined) throw optionError(by, first);
  const texts = problems.map(({ text, hint }) => `${text} ${hint}`.trim());
  throw new TenonError('invalid-argument', `${by}: ${texts.join(' ')}`, {
    details: { places: problems.map(({ place }) => place) },
  });
}
