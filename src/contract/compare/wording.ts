/** Changes of schemas in words: what changed, and for which callers. */
import type { Path, Problem } from '../schema/problem.ts';
import { quoted } from './change.ts';

export type Direction = 'input' | 'output';

const subjectOf = (path: Path, direction: Direction): string => (path === '' ? `The ${direction}` : quoted(path));

const valuesText = (problems: readonly Problem[]): string =>
  [...new Set(problems.filter(({ kind }) => kind === 'values').map(({ what }) => what))].join(', ');

/** Of problems at one place the first kind of this list is worded. */
const kinds = ['missing', 'refused', 'ignored', 'unsent', 'others', 'values'] as const;

const leading = (problems: readonly Problem[]): Problem | undefined =>
  kinds.flatMap((kind) => problems.filter((one) => one.kind === kind))[0];

export function textOf(path: Path, problems: readonly Problem[], direction: Direction): string {
  const subject = subjectOf(path, direction);
  const first = leading(problems);
  const isInput = direction === 'input';
  const may = first?.isCertain === false;
  switch (first?.kind) {
    case 'missing':
      if (!first.isDeclared) return isInput ? `${subject} was added, and is required.` : `${subject} was removed.`;
      return isInput ? `${subject} is required now.` : `${subject} may be missing now.`;
    case 'refused':
      return isInput
        ? `${subject} was removed, and other fields are refused.`
        : `${subject} was added, and the earlier schema has no other fields.`;
    case 'ignored':
      return isInput ? `${subject} was removed; sending it is accepted.` : `${subject} was added.`;
    case 'unsent':
      return isInput ? `${subject} was added, and is optional.` : `${subject} was removed; it was optional.`;
    case 'others':
      return isInput ? `${subject} takes no other fields now.` : `${subject} may have other fields now.`;
    default:
      if (isInput) return `${subject} ${may ? 'may not take' : 'does not take'} ${valuesText(problems)} any more.`;
      return `${subject} ${may ? 'might' : 'may'} be ${valuesText(problems)} now.`;
  }
}

/** Completes "callers that …". */
export function callersOf(path: Path, problems: readonly Problem[], direction: Direction): string {
  const isInput = direction === 'input';
  const place = quoted(path);
  const where = path === '' ? '' : ` in ${place}`;
  switch (leading(problems)?.kind) {
    case 'missing':
      return isInput ? `omit ${place}` : `read ${place}`;
    case 'refused':
      return isInput ? `send ${place}` : `validate with the earlier schema, which has no ${place}`;
    case 'ignored':
      return `send ${place}`;
    case 'unsent':
      return `read ${place}`;
    case 'others':
      return isInput ? `send other fields${where}` : `do not expect other fields${where}`;
    default:
      if (isInput) return `send ${valuesText(problems)}${path === '' ? '' : ` as ${place}`}`;
      return `do not expect ${valuesText(problems)}${where}`;
  }
}

/** A change that breaks nothing, by what does not fit the other way. */
export function safeText(path: Path, problems: readonly Problem[], direction: Direction): string {
  const subject = subjectOf(path, direction);
  const isInput = direction === 'input';
  switch (leading(problems)?.kind) {
    case 'missing':
      return isInput ? `${subject} is optional now.` : `${subject} is always there now.`;
    case 'others':
      return isInput ? `${subject} takes other fields now.` : `${subject} has no other fields now.`;
    default:
      return isInput
        ? `${subject} takes more: ${valuesText(problems)}.`
        : `${subject} is never ${valuesText(problems)} now.`;
  }
}
