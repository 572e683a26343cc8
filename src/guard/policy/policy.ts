/** A policy: one document, compiled once, that decides who may do what. */
import { TenonError } from '../../lib/errors/tenon-error.ts';
import { readOptions } from '../../lib/options/read-options.ts';
import { canonicalJson } from '../../lib/text/canonical-json.ts';
import type { Match } from './condition.ts';
import type { UnknownValues } from './condition-values.ts';
import type { Decision, DecisionExplanation, DecisionOutcome, DecisionRequest } from './decision.ts';
import { readDocument } from './document/document.ts';
import type { PolicyTest } from './document/test-reader.ts';
import { type CompiledRule, compileRule } from './evaluation/compiled-rule.ts';
import { possibleEffects } from './evaluation/possible-effects.ts';
import { Question } from './evaluation/question.ts';
import { allOf, firstOf, type RuleAbout, RuleIndex } from './evaluation/rule-index.ts';
import { explainDecision } from './explain.ts';
import { maxTargetChars } from './limits.ts';
import { uriProblem } from './matching/canonical-uri.ts';
import { policyOptions } from './options.table.ts';
import type { PolicyOptions } from './options.ts';
import { RecentDecisions } from './recent-decisions.ts';
import type { PolicyEffect, PolicyRule, PolicyTarget } from './rule.ts';

/** A target that a list may show: `action` is `list` unless you name another. */
export type VisibleRequest = Omit<DecisionRequest, 'action' | 'arguments'> & Partial<Pick<DecisionRequest, 'action'>>;

/** Decides about requests. A request that no rule allows is denied. */
export interface Policy {
  /** The rules, in the order of the document. */
  readonly rules: readonly PolicyRule[];
  /** The assertions of the document. `runPolicyTests` runs them. */
  readonly tests: readonly PolicyTest[];
  /** Decides about a request, and remembers the decision for `explain`. */
  decide(request: DecisionRequest): Decision;
  /** What `decide` would return, without an id. Nothing is remembered. */
  evaluate(request: DecisionRequest): DecisionOutcome;
  /** The effects that a request can have where its arguments or the claims of its principal are not known. */
  possibleEffects(request: DecisionRequest, unknown: UnknownValues): readonly PolicyEffect[];
  /** Whether a list shows the target to the caller: whether the action `list` is allowed, or the one you name. */
  visible(request: VisibleRequest): boolean;
  /** Why a decision is what it is; `undefined` for one that is not known, or not any more. */
  explain(decisionId: string): DecisionExplanation | undefined;
}

/** Reads a policy, in YAML or JSON, and compiles it. Throws `invalid-policy`, which lists every problem with line and column. */
export function createPolicy(text: string, options?: PolicyOptions): Policy {
  if (typeof text !== 'string') {
    const hint = 'Pass the text of the document: createPolicy(readFileSync("policy.yaml", "utf8")).';
    throw new TenonError('invalid-argument', 'createPolicy(): the policy is not a text.', { hint });
  }
  const { fileName, maxDecisions } = readOptions('createPolicy()', policyOptions, options);
  return compilePolicy(text, fileName, new RecentDecisions(maxDecisions));
}

/** Compiles a document. The versions of a reloaded policy share their recent decisions. */
export function compilePolicy(text: string, fileName: string, recent: RecentDecisions): Policy {
  const { rules, conditions, tests } = readDocument(text, fileName);
  const compiled = rules.map((rule, order) => compileRule(rule, order, conditions.get(rule.id)));
  return new CompiledPolicy(compiled, tests, recent);
}

const byCaller: DecisionOutcome['approvers'] = Object.freeze([]);
const notAllowed: DecisionOutcome = outcomeOf('deny', undefined, 'no-rule');
const notCanonical: DecisionOutcome = outcomeOf('deny', undefined, 'uri-not-canonical');
const tooLong: DecisionOutcome = outcomeOf('deny', undefined, 'name-too-long');
const holds: readonly Match[] = ['yes'];
const isUnknown: readonly Match[] = ['failed'];
const holdsOrIsUnknown: readonly Match[] = ['yes', 'failed'];

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

  possibleEffects(request: DecisionRequest, unknown: UnknownValues): readonly PolicyEffect[] {
    const question = new Question(request, unknown);
    return refusedTarget(question.input) === undefined
      ? possibleEffects(this.#index.about(question), question)
      : ['deny'];
  }

  visible({ principal, address, target, action = 'list' }: VisibleRequest): boolean {
    return this.evaluate({ principal, address, target, action }).effect !== 'deny';
  }

  explain(decisionId: string): DecisionExplanation | undefined {
    const found = this.#recent.find(decisionId);
    return found && explainDecision(found, found.compiled !== this.#compiled);
  }

  /**
   * Deny rules first, then ask, then allow. A rule with an unknown match denies, or turns an allow into an ask; it
   * never allows.
   */
  #decideAbout(question: Question): DecisionOutcome {
    const refused = refusedTarget(question.input);
    if (refused !== undefined) return refused;
    const { deny, ask, allow } = this.#index.about(question);
    const denied = firstOf(deny, question, holdsOrIsUnknown);
    if (denied !== undefined) return this.#outcomes.get(denied) as DecisionOutcome;
    const asked = firstOf(ask, question, holds);
    if (asked !== undefined) return this.#asking(asked, ask, question);
    const allowed = firstOf(allow, question, holds);
    if (allowed === undefined) return notAllowed;
    // Arguments that make the condition of an ask rule fail must not avoid the question.
    const uncertain = firstOf(ask, question, isUnknown);
    return uncertain === undefined
      ? (this.#outcomes.get(allowed) as DecisionOutcome)
      : this.#asking(uncertain, ask, question);
  }

  /** The first rule that asks is named. An approval must satisfy all of them: their order does not matter. */
  #asking(first: CompiledRule, rules: readonly RuleAbout[], question: Question): DecisionOutcome {
    const outcome = this.#outcomes.get(first) as DecisionOutcome;
    const others = allOf(rules, question, holdsOrIsUnknown);
    if (others.length <= 1) return outcome;
    const all = others.map((one) => this.#outcomes.get(one) as DecisionOutcome);
    const approvers = new Map(all.flatMap((one) => one.approvers.map((named) => [canonicalJson(named), named])));
    const expiresMs = Math.min(...all.map((one) => one.expiresMs ?? Number.POSITIVE_INFINITY));
    return {
      ...outcome,
      approvers: [...approvers.values()],
      expiresMs: Number.isFinite(expiresMs) ? expiresMs : undefined,
    };
  }
}

/** The outcome for a target that cannot be compared with rules. */
function refusedTarget({ target }: DecisionRequest): DecisionOutcome | undefined {
  if (hasLongName(target)) return tooLong;
  return target.resource !== undefined && uriProblem(target.resource) !== undefined ? notCanonical : undefined;
}

/** Comparing takes time by the length of a name, and a client may send any. */
const hasLongName = ({ server, tool, resource, template, prompt }: PolicyTarget): boolean =>
  isLong(server) || isLong(tool) || isLong(resource) || isLong(template) || isLong(prompt);

const isLong = (name: string | undefined): boolean => name !== undefined && name.length > maxTargetChars;

function outcomeOf(
  effect: DecisionOutcome['effect'],
  rule: PolicyRule | undefined,
  reason?: DecisionOutcome['reason'],
): DecisionOutcome {
  const remember = effect === 'ask' ? (rule?.remember ?? 'once') : undefined;
  const { approver = 'caller', exactCall = false, expiresMs } = rule ?? {};
  const approvers = approver === 'caller' ? byCaller : Object.freeze([approver]);
  return Object.freeze({ effect, rule: rule?.id, reason, remember, exactCall, approvers, expiresMs });
}
