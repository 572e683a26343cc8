/** Compares our validation of many values with the official one, and reports the smallest difference that is not listed. */
import * as fc from 'fast-check';
import { createArbitrary, vocabularyOf } from './arbitrary.ts';
import { type Difference, narrowed } from './differences.ts';
import { type Mutation, mutate, mutations } from './mutation.ts';
import type { Reference, Subject } from './reference.ts';
import { createSweep, type Sweep } from './sweep.ts';

export interface Findings {
  /** How many values both sides accept, and how many both refuse. */
  readonly accepted: number;
  readonly refused: number;
  /** The listed differences that were found, each alone the reason of a disagreement. */
  readonly shown: ReadonlySet<string>;
  /** Describes the smallest value on which the two disagree for no listed reason. */
  readonly unexplained: string | undefined;
}

export interface Comparison {
  readonly name: string;
  /** Compares at the first call and caches the result. */
  findings(): Findings;
}

export interface Repetitions {
  /** Random values, divided among all messages of the revision. */
  readonly runs: number;
  /** Values of each message that are swept; each further one adds fewer new places. */
  readonly swept: number;
}

/** Comparisons for all messages of a revision. */
export function comparisonsOf(reference: Reference, { runs, swept }: Repetitions): Comparison[] {
  const { subjects } = reference;
  const valid = createArbitrary(reference.resolve);
  const vocabulary = vocabularyOf(reference.definitions);
  const changes = mutations(vocabulary);
  return subjects.map((subject) => {
    let found: Findings | undefined;
    return {
      name: subject.name,
      findings: () => {
        const values = fc.tuple(valid(subject.schema), changes);
        const share = Math.ceil(runs / subjects.length);
        found ??= compare(reference, subject, values, createSweep(vocabulary), { runs: share, swept });
        return found;
      },
    };
  });
}

type Mutated = [unknown, Mutation[]];

function compare(
  { revision, differences }: Reference,
  subject: Subject,
  values: fc.Arbitrary<Mutated>,
  sweep: Sweep,
  { runs, swept }: Repetitions,
): Findings {
  const listed = differences.filter(({ revisions }) => revisions.includes(revision));
  const shown = new Set<string>();
  const counts = { accepted: 0, refused: 0 };
  const agrees = (sent: unknown): boolean => {
    const isValid = subject.ours(sent);
    if (isValid === subject.official(sent)) {
      counts[isValid ? 'accepted' : 'refused'] += 1;
      return true;
    }
    const reasons = explanations(listed, revision, subject, sent);
    for (const reason of reasons ?? []) shown.add(reason);
    return reasons !== undefined;
  };
  const property = fc.property(values, ([value, changes]) => agrees(mutate(value, changes)));
  const { counterexample } = fc.check(property, { seed: 7, numRuns: runs });
  const failing = counterexample === null ? [] : [mutate(...counterexample[0])];
  for (const [value] of fc.sample(values, { seed: 8, numRuns: swept })) {
    for (const sent of sweep(value)) if (!agrees(sent)) failing.push(sent);
  }
  const [smallest] = failing.map((value) => describeDifference(subject, value)).sort((a, b) => a.length - b.length);
  return { ...counts, shown, unexplained: smallest };
}

const brief = (value: unknown): string =>
  String(JSON.stringify(value)).replaceAll(/x{20,}/g, (run) => `x*${run.length}`);

const describeDifference = (subject: Subject, value: unknown): string =>
  `${subject.name}: ours returns ${subject.ours(value)}, the official one ${subject.official(value)}, for ${brief(value)}`;

/** The differences that alone explain a disagreement; none if it takes several; `undefined` if all together do not. */
function explanations(
  listed: readonly Difference[],
  revision: string,
  subject: Subject,
  value: unknown,
): string[] | undefined {
  const agree = (narrower: unknown): boolean => subject.ours(narrower) === subject.official(narrower);
  const without = (from: unknown, difference: Difference): unknown =>
    narrowed(difference, revision, from, subject.name);
  const isReason = (difference: Difference): boolean => {
    const narrower = without(value, difference);
    return narrower !== value && agree(narrower);
  };
  const alone = listed.filter(isReason).map(({ name }) => name);
  if (alone.length > 0) return alone;
  return agree(listed.reduce(without, value)) ? [] : undefined;
}
