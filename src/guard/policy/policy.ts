/** A policy: one document, compiled once, that decides who may do what. */
import { TenonError } from '../../jsonrpc/errors.ts';
import { count } from '../../protocol/option-rules.ts';
import { type CompiledRule, compileRule, Question } from './compiled-rule.ts';
import type { Decision, DecisionExplanation, DecisionOutcome, DecisionRequest } from './decision.ts';
import { readDocument } from './document/document.ts';
import type { PolicyTest } from './document/test-reader.ts';
import { explainDecision } from './explain.ts';
import { uriProblem } from './matching/canonical-uri.ts';
import { RecentDecisions } from './recent-decisions.ts';
import type { PolicyRule } from './rule.ts';
import { RuleIndex } from './rule-index.ts';

/** Options of `createPolicy`. */
export interface PolicyOptions {
  /** The name of the document in errors. Default `policy`. */
  readonly fileName?: string;
  /** How many decisions `explain` knows: the newest. Default 10,000. */
  readonly maxDecisions?: number;
}

/** A target that a list may show: `action` is `list` unless you name another. */
export type VisibleRequest = Omit<DecisionRequest, 'action' | 'arguments'> & Partial<Pick<DecisionRequest, 'action'>>;

/** Decides who may do what. What no rule allows is denied. */
export interface Policy {
  /** The rules, in the order of the document. */
  readonly rules: readonly PolicyRule[];
  /** The assertions of the document. `runPolicyTests` runs them. */
  readonly tests: readonly PolicyTest[];
  /** Decides about a request, and remembers the decision for `explain`. */
  decide(request: DecisionRequest): Decision;
  /** What `decide` would return, without an id. Nothing is remembered. */
  evaluate(request: DecisionRequest): DecisionOutcome;
  /** Whether a list shows the target to the caller: whether the action `list` is allowed, or the one you name. */
  visible(request: VisibleRequest): boolean;
  /** Why a decision is what it is; `undefined` for one that is not known, or not any more. */
  explain(decisionId: string): DecisionExplanation | undefined;
}

/** Reads a policy, in YAML or JSON, and compiles it. Throws `invalid-policy`, which lists every problem with line and column. */
export function createPolicy(text: string, options: PolicyOptions = {}): Policy {
  const { fileName = 'policy', maxDecisions = 10_000 } = options;
  if (typeof text !== 'string') {
    const hint = 'Pass the text of the document: createPolicy(readFileSync("policy.yaml", "utf8")).';
    throw new TenonError('invalid-argument', 'createPolicy(): the policy is not a text.', { hint });
  }
  if (!count.holds(maxDecisions)) {
    const hint = `maxDecisions must ${count.must}.`;
    throw new TenonError('invalid-argument', 'createPolicy(): maxDecisions is not valid.', { hint });
  }
  return compilePolicy(text, fileName, new RecentDecisions(maxDecisions));
}

/** Compiles a document. The versions of a policy that is reloaded share what they remember. */
export function compilePolicy(text: string, fileName: string, recent: RecentDecisions): Policy {
  const { rules, conditions, tests } = readDocument(text, fileName);
  const compiled = rules.map((rule, order) => compileRule(rule, order, conditions.get(rule.id)));
  return new CompiledPolicy(compiled, tests, recent);
}

const notAllowed: DecisionOutcome = outcomeOf('deny', undefined, 'no-rule');
const notCanonical: DecisionOutcome = outcomeOf('deny', undefined, 'uri-not-canonical');

class CompiledPolicy implements Policy {
  readonly rules: readonly PolicyRule[];
  readonly tests: readonly PolicyTest[];
  readonly #compiled: readonly CompiledRule[];
  readonly #index: RuleIndex;
  readonly #recent: RecentDecisions;
  /** The outcome of each rule, made once. */
  readonly #outcomes: ReadonlyMap<CompiledRule, DecisionOutcome>;

  constructor(compiled: readonly CompiledRule[], tests: readonly PolicyTest[], recent: RecentDecisions) {
    this.rules = Object.freeze(compiled.map(({ rule }) => rule));
    this.tests = tests;
    this.#compiled = compiled;
    this.#index = new RuleIndex(compiled);
    this.#recent = recent;
    this.#outcomes = new Map(compiled.map((one) => [one, outcomeOf(one.rule.effect, one.rule)]));
  }

  decide(request: DecisionRequest): Decision {
    const question = new Question(request);
    return this.#recent.add(question, this.#decideAbout(question), this.#compiled);
  }

  evaluate(request: DecisionRequest): DecisionOutcome {
    return this.#decideAbout(new Question(request));
  }

  visible({ principal, address, target, action = 'list' }: VisibleRequest): boolean {
    return this.evaluate({ principal, address, target, action }).effect !== 'deny';
  }

  explain(decisionId: string): DecisionExplanation | undefined {
    const found = this.#recent.find(decisionId);
    return found && explainDecision(found, found.compiled !== this.#compiled);
  }

  /** Deny, then ask, then allow. What cannot be known denies, turns an allow into an ask, and never allows. */
  #decideAbout(question: Question): DecisionOutcome {
    const { resource } = question.input.target;
    if (resource !== undefined && uriProblem(resource) !== undefined) return notCanonical;
    const index = this.#index;
    const denied = index.first('deny', question, ['yes', 'failed']);
    if (denied !== undefined) return this.#outcomes.get(denied) as DecisionOutcome;
    const asked = index.first('ask', question, ['yes']);
    if (asked !== undefined) return this.#outcomes.get(asked) as DecisionOutcome;
    const allowed = index.first('allow', question, ['yes']);
    if (allowed === undefined) return notAllowed;
    // Arguments that make the condition of an ask rule fail must not avoid the question.
    const uncertain = index.first('ask', question, ['failed']);
    return this.#outcomes.get(uncertain ?? allowed) as DecisionOutcome;
  }
}

function outcomeOf(
  effect: DecisionOutcome['effect'],
  rule: PolicyRule | undefined,
  reason?: DecisionOutcome['reason'],
): DecisionOutcome {
  const remember = effect === 'ask' ? (rule?.remember ?? 'once') : undefined;
  return Object.freeze({ effect, rule: rule?.id, reason, remember, exactCall: rule?.exactCall ?? false });
}
