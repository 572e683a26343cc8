/** Rules that name a subject and no issuer: they hold for the users of every issuer that have this name. */
import { TenonError } from '../../lib/errors/tenon-error.ts';
import type { Policy } from '../policy/policy.ts';
import type { PolicyRule } from '../policy/rule.ts';

/** Returns a warning. With several issuers, those that are trusted and those that rules name, it throws instead. */
export function checkSubjects({ rules }: Pick<Policy, 'rules'>, trusted: readonly string[]): TenonError | undefined {
  // A `deny` that holds for too many refuses, and gives nothing away.
  const found = rules.filter((rule) => rule.effect !== 'deny' && namesSubjectOnly(rule));
  if (found.length === 0) return undefined;
  const issuers = new Set([
    ...trusted,
    ...rules.flatMap(({ to }) => (typeof to === 'string' ? [] : (to.issuer ?? []))),
  ]);
  const names = found.map(({ id, line }) => `${id} (line ${line})`).join(', ');
  const message = `Rules of the policy name a subject without its issuer: ${names}. A user of any issuer can have this name.`;
  const details = { rules: found.map(({ id }) => id), issuers: [...issuers] };
  const problem = new TenonError('invalid-definition', message, { hint: 'Add `issuer` beside `subject`.', details });
  if (issuers.size > 1) throw problem;
  return problem;
}

const namesSubjectOnly = ({ to }: PolicyRule): boolean =>
  typeof to !== 'string' && to.subject !== undefined && to.issuer === undefined;
