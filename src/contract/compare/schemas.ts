/** The changes between two schemas, of the input or of the output of a tool. */
import { canonicalJson } from '../../lib/text/canonical-json.ts';
import { TooMuchWork, type Work } from '../schema/document.ts';
import { problemsBetween } from '../schema/fits.ts';
import type { Path, Problem } from '../schema/problem.ts';
import { type ChangedText, changedTexts } from '../schema/texts.ts';
import { type ContractChange, type Effect, effects, quoted, type Subject } from './change.ts';
import { callersOf, type Direction, safeText, textOf } from './wording.ts';

/** Callers send what the earlier schema allows; the server sends what the later one allows. */
export function schemaChanges(
  subject: Subject,
  direction: Direction,
  before: unknown,
  after: unknown,
  work: Work,
): ContractChange[] {
  if (canonicalJson(before) === canonicalJson(after)) return [];
  const at = (path: Path): string =>
    path === '' ? direction : path.startsWith('[') ? `${direction}${path}` : `${direction}.${path}`;
  try {
    const found = [...meaningChanges(direction, before, after, work), ...textChanges(direction, before, after, work)];
    return found.map(({ path, ...change }) => ({ ...subject, ...change, place: at(path) }));
  } catch (error) {
    if (!(error instanceof TooMuchWork)) throw error;
    const text = `The schema of the ${direction} changed, and is too large to compare.`;
    return [{ ...subject, effect: 'undecided', place: direction, text }];
  }
}

type PathChange = Pick<ContractChange, 'effect' | 'text' | 'callers'> & { readonly path: Path };

function meaningChanges(direction: Direction, before: unknown, after: unknown, work: Work): PathChange[] {
  const [sender, receiver] = direction === 'input' ? [before, after] : [after, before];
  const forward = byPath(problemsBetween(sender, receiver, work));
  const backward = byPath(problemsBetween(receiver, sender, work));
  const changes = [...forward].map(([path, problems]) => changeAt(path, problems, direction));
  // A value that fits in one direction only has changed, and breaks nothing.
  for (const [path, problems] of backward)
    if (!forward.has(path) && problems.some(({ kind }) => kind === 'values' || kind === 'missing' || kind === 'others'))
      changes.push({ path, effect: 'safe', text: safeText(path, problems, direction) });
  return changes;
}

function byPath(problems: readonly Problem[]): Map<Path, Problem[]> {
  const paths = new Map<Path, Problem[]>();
  for (const one of problems) {
    const others = paths.get(one.path);
    if (others === undefined) paths.set(one.path, [one]);
    else others.push(one);
  }
  return paths;
}

/** The worst of what was found at one place. */
function changeAt(path: Path, problems: readonly Problem[], direction: Direction): PathChange {
  const judged = problems.map((one) => [effectOf(one, direction), one] as const);
  const effect = effects.find((each) => judged.some(([own]) => own === each)) ?? 'safe';
  const worst = judged.filter(([own]) => own === effect).map(([, one]) => one);
  const callers = callersOf(path, worst, direction);
  return { path, effect, text: textOf(path, worst, direction), ...(effect === 'safe' ? {} : { callers }) };
}

function effectOf({ kind, isCertain }: Problem, direction: Direction): Effect {
  // A field that is not mentioned any more is accepted; whether it has an effect is not known.
  if (kind === 'ignored') return direction === 'input' ? 'undecided' : 'safe';
  // An optional field is never sent any more: its readers expect that it may be missing.
  if (kind === 'unsent') return direction === 'input' ? 'safe' : 'review';
  return isCertain ? 'breaks' : 'undecided';
}

function textChanges(direction: Direction, before: unknown, after: unknown, work: Work): PathChange[] {
  return changedTexts(before, after, work).map(({ path, keyword }: ChangedText) => {
    const text = `The ${keyword} of ${path === '' ? `the ${direction}` : quoted(path)} changed.`;
    const isDefault = keyword === 'default' && direction === 'input';
    return { path, effect: 'review', text, ...(isDefault && { callers: `omit ${quoted(path)}` }) };
  });
}
