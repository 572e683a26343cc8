/** Whether every value that a sender's schema allows is accepted by a receiver's: yes, or the places where not. */
import { type Alternative, disjoint } from './alternative.ts';
import { alternativesOf } from './alternatives.ts';
import { canonicalSchema } from './canonical.ts';
import { type Located, rootOf, type Work } from './document.ts';
import { fieldPath, type Path, type Problem, problem, stepsOf, uncertain } from './problem.ts';
import { boundProblems, namedValues, valueProblems } from './scalars.ts';

/** None if all values fit. */
export function problemsBetween(sender: unknown, receiver: unknown, work: Work): Problem[] {
  return new Fitting(work).problems(rootOf(sender), rootOf(receiver), '', 0);
}

/** A pair of schemas takes as long as this many other steps. */
const pairSteps = 20;

class Fitting {
  readonly #work: Work;
  /** Pairs that are being compared: a pair inside itself adds nothing. */
  readonly #open = new Map<unknown, Set<unknown>>();

  constructor(work: Work) {
    this.#work = work;
  }

  problems(sender: Located, receiver: Located, path: Path, depth: number): Problem[] {
    this.#work.step(depth, pairSteps + stepsOf(path));
    const open = this.#open.get(sender.node) ?? new Set();
    if (open.has(receiver.node)) return [];
    if (canonicalSchema(sender, this.#work) === canonicalSchema(receiver, this.#work)) return [];
    this.#open.set(sender.node, open.add(receiver.node));
    const receivers = this.#read(receiver);
    const found = this.#read(sender).flatMap((one) => this.#alternative(one, receivers, path, depth));
    open.delete(receiver.node);
    return found;
  }

  #read(schema: Located): readonly Alternative[] {
    return alternativesOf(schema, this.#work);
  }

  #alternative(sent: Alternative, receivers: readonly Alternative[], path: Path, depth: number): Problem[] {
    const possible = receivers.filter((one) => !disjoint(sent, one, (schema) => this.#read(schema)));
    if (possible.length === 0) return [problem('values', path, { what: nameOf(sent) })];
    if (sent.values !== undefined) return valueProblems(sent, possible, path, this.#work);
    const tried = possible.map((one) => this.#between(sent, one, path, depth)).sort((a, b) => a.length - b.length);
    const [nearest = []] = tried;
    // Several alternatives together may accept values that none of them accepts alone.
    return possible.length === 1 || nearest.length === 0 ? nearest : uncertain(nearest);
  }

  #between(sent: Alternative, receiver: Alternative, path: Path, depth: number): Problem[] {
    const own = [
      ...boundProblems(sent, receiver, path, this.#work),
      ...(sent.type === 'object' ? this.#others(sent, receiver, path, depth) : []),
      ...(sent.type === 'object' ? missingFields(sent, receiver, path, this.#work) : []),
    ];
    // A rule of the sender that is not compared may exclude just these.
    const rules = new Set(receiver.rules);
    const isKnown = sent.rules.every((rule) => rules.has(rule));
    return [
      ...(isKnown ? own : uncertain(own)),
      ...(sent.type === 'object' ? this.#fields(sent, receiver, path, depth) : []),
      ...(sent.type === 'array' ? this.#items(sent, receiver, path, depth) : []),
    ];
  }

  #fields(sent: Alternative, receiver: Alternative, path: Path, depth: number): Problem[] {
    const names = new Set([...sent.properties.keys(), ...receiver.properties.keys()]);
    return [...names].flatMap((name) => {
      const place = fieldPath(path, name);
      this.#work.step(0, stepsOf(place));
      const sentSchema = sent.properties.get(name);
      const taken = receiver.properties.get(name);
      if (sentSchema !== undefined && taken !== undefined) return this.problems(sentSchema, taken, place, depth + 1);
      if (sentSchema !== undefined) return this.#undeclared(sentSchema, receiver.others, place, depth);
      return taken === undefined ? [] : this.#unsent(sent.others, taken, place, depth);
    });
  }

  /** A field that the receiver does not mention. */
  #undeclared(sentSchema: Located, others: Alternative['others'], place: Path, depth: number): Problem[] {
    if (sentSchema.node === false) return [];
    if (others === 'closed') return [problem('refused', place)];
    const found = typeof others === 'object' ? this.problems(sentSchema, others, place, depth + 1) : [];
    return [...found, problem('ignored', place)];
  }

  /** A field that the sender does not mention is not sent, unless it has a schema for other fields. */
  #unsent(others: Alternative['others'], taken: Located, place: Path, depth: number): Problem[] {
    const unsent = problem('unsent', place);
    if (others === 'open' || others === 'closed') return [unsent];
    const sentSchema = others === 'any' ? { node: true, root: true } : others;
    return [...uncertain(this.problems(sentSchema, taken, place, depth + 1)), unsent];
  }

  /** Fields that neither of them mentions. */
  #others(sent: Alternative, receiver: Alternative, path: Path, depth: number): Problem[] {
    if (sent.others === 'closed' || receiver.others === 'open' || receiver.others === 'any') return [];
    if (receiver.others === 'closed') return [problem('others', path)];
    if (typeof sent.others === 'object')
      return this.problems(sent.others, receiver.others, path === '' ? '*' : `${path}.*`, depth + 1);
    const found = this.problems({ node: true, root: true }, receiver.others, path, depth + 1);
    return found.length === 0 ? [] : [problem('others', path, { isCertain: sent.others === 'any' })];
  }

  #items(sent: Alternative, receiver: Alternative, path: Path, depth: number): Problem[] {
    const count = Math.max(sent.first.length, receiver.first.length);
    const any: Located = { node: true, root: true };
    const at = (list: Alternative, index: number): Located => list.first[index] ?? list.items ?? any;
    const first = Array.from({ length: count }, (_, index) =>
      this.problems(at(sent, index), at(receiver, index), `${path}[${index}]`, depth + 1),
    ).flat();
    if (receiver.items === undefined || (sent.bounds.maxItems ?? Infinity) <= count) return first;
    return [...first, ...this.problems(sent.items ?? any, receiver.items, `${path}[]`, depth + 1)];
  }
}

function missingFields(sent: Alternative, receiver: Alternative, path: Path, work: Work): Problem[] {
  return [...receiver.required]
    .filter((name) => !sent.required.has(name))
    .map((name) => {
      const place = fieldPath(path, name);
      work.step(0, stepsOf(place));
      return problem('missing', place, { isDeclared: sent.properties.has(name) });
    });
}

const nameOf = ({ type, values, isInteger }: Alternative): string => {
  if (values !== undefined && type !== 'boolean') return namedValues(values);
  if (type === 'number') return isInteger ? 'an integer' : 'a number';
  return type === 'array' || type === 'object' ? `an ${type}` : `a ${type}`;
};
