/** A request while rules are compared with it. Values that only some rules need are computed once, on first use. */
import type { Condition, ConditionOutcome, Match, StepBudget } from '../condition.ts';
import { type ConditionVariables, type DecisionRequest, type UnknownValues, variablesOf } from '../condition-values.ts';
import { maxTextSteps } from '../limits.ts';
import { readingsOf, type UriReading } from '../matching/canonical-uri.ts';
import { parseAddress } from '../matching/networks.ts';

export class Question {
  readonly input: DecisionRequest;
  readonly unknown: UnknownValues | undefined;
  /** The readings of the URI of the resource, if there is one. */
  readonly readings: readonly UriReading[] | undefined;
  /** The conditions that were evaluated, by the id of their rule. */
  evaluated: Map<string, ConditionOutcome> | undefined;
  #address: readonly number[] | undefined | 'unread' = 'unread';
  #variables: ConditionVariables | ConditionOutcome | undefined;
  #budget: StepBudget | undefined;

  constructor(input: DecisionRequest, unknown?: UnknownValues) {
    const { resource } = input.target;
    this.input = input;
    this.unknown = unknown;
    this.readings = resource === undefined ? undefined : readingsOf(resource);
  }

  get address(): readonly number[] | undefined {
    const { address } = this.input;
    if (this.#address === 'unread') this.#address = address === undefined ? undefined : parseAddress(address);
    return this.#address;
  }

  evaluate(id: string, condition: Condition): Match {
    this.evaluated ??= new Map();
    let outcome = this.evaluated.get(id);
    if (outcome === undefined) {
      this.#variables ??= readVariables(this.input, this.unknown);
      this.#budget ??= { steps: maxTextSteps };
      outcome = isOutcome(this.#variables) ? this.#variables : condition.evaluate(this.#variables, this.#budget);
      this.evaluated.set(id, outcome);
    }
    return outcome.match;
  }
}

/** Variables have no member `match`. */
const isOutcome = (value: ConditionVariables | ConditionOutcome): value is ConditionOutcome => 'match' in value;

function readVariables(
  input: DecisionRequest,
  unknown: UnknownValues | undefined,
): ConditionVariables | ConditionOutcome {
  try {
    return variablesOf(input, unknown);
  } catch (error) {
    return { match: 'failed', reason: error instanceof Error ? error.message : 'the input cannot be read' };
  }
}
