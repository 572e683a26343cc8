/** Compiles conditions in CEL, and evaluates them within bounds. */
import { Environment } from '@marcbachmann/cel-js';
import { RE2JS } from 're2js';
import { policyLimits } from '../limits.ts';
import { type BoundProblem, boundCondition, countedMethods } from './bounds.ts';
import { type ConditionVariables, conditionVariables } from './values.ts';

/** Whether something holds. What cannot be known has failed: it counts in `deny` rules, and never allows. */
export type Match = 'yes' | 'no' | 'failed';

/** What a condition evaluated to; `reason` is why it failed. */
export interface ConditionOutcome {
  readonly match: Match;
  readonly reason?: string;
}

export type Condition = (variables: ConditionVariables) => ConditionOutcome;

const yes: ConditionOutcome = { match: 'yes' };
const no: ConditionOutcome = { match: 'no' };

/** The steps that are left for the evaluation that runs. Evaluations are synchronous, so there is one at a time. */
let stepsLeft = 0;

function spend(steps: number): void {
  stepsLeft -= steps;
  if (stepsLeft < 0) throw new Error(`matches and contains take more than ${policyLimits.maxTextSteps} steps`);
}

/** Compiled patterns by their text. They are literals, so there are as many as the policies have. */
type Patterns = Map<string, RE2JS>;

function createEnvironment(patterns: Patterns): Environment {
  const environment = new Environment({
    homogeneousAggregateLiterals: false,
    limits: {
      maxAstNodes: policyLimits.maxConditionNodes,
      maxDepth: policyLimits.maxConditionDepth,
      maxListElements: policyLimits.maxItems,
      maxMapEntries: policyLimits.maxItems,
      maxCallArguments: 4,
    },
  });
  for (const [name, type] of Object.entries(conditionVariables)) environment.registerVariable(name, type);
  environment.registerFunction(`string.${countedMethods.contains}(string): bool`, (text: string, part: string) => {
    spend(text.length + part.length);
    return text.includes(part);
  });
  environment.registerFunction(`string.${countedMethods.matches}(string): bool`, (text: string, pattern: string) => {
    const compiled = patterns.get(pattern) ?? compilePattern(pattern, patterns);
    spend(Math.ceil((text.length * compiled.programSize()) / 8));
    return compiled.test(text);
  });
  return environment;
}

function compilePattern(pattern: string, patterns: Patterns): RE2JS {
  const compiled = RE2JS.compile(pattern);
  if (compiled.programSize() > policyLimits.maxPatternSize) throw new Error('The pattern is too large');
  patterns.set(pattern, compiled);
  return compiled;
}

/** Compiles the conditions of one policy. */
export class ConditionCompiler {
  readonly #patterns: Patterns = new Map();
  readonly #environment = createEnvironment(this.#patterns);

  compile(text: string): Condition | BoundProblem {
    try {
      const parsed = this.#environment.parse(text);
      const problem = boundCondition(parsed.ast) ?? this.#patternProblem(parsed.ast) ?? typeProblem(parsed.check());
      if (problem !== undefined) return problem;
      return (variables) => evaluate(parsed, variables);
    } catch (error) {
      return problemOf(error);
    }
  }

  /** Patterns are compiled with the policy, so that a wrong one is found then. */
  #patternProblem(node: unknown): BoundProblem | undefined {
    if (typeof node !== 'object' || node === null) return undefined;
    const { op, args, start = 0 } = node as { op?: string; args?: unknown; start?: number };
    if (op === 'rcall' && (args as unknown[])[0] === countedMethods.matches) {
      const [literal] = (args as [string, unknown, { args: string }[]])[2];
      try {
        compilePattern(literal?.args ?? '', this.#patterns);
      } catch (error) {
        const hint = `${(error as Error).message}. Patterns are those of RE2, of at most ${policyLimits.maxPatternSize} instructions.`;
        return { offset: start, problem: 'has a pattern that cannot be used', hint };
      }
    }
    const inner = Array.isArray(node) ? node : Array.isArray(args) ? args : [args];
    for (const one of inner) {
      const problem = this.#patternProblem(one);
      if (problem !== undefined) return problem;
    }
    return undefined;
  }
}

function evaluate(run: (variables: ConditionVariables) => unknown, variables: ConditionVariables): ConditionOutcome {
  stepsLeft = policyLimits.maxTextSteps;
  try {
    const value = run(variables);
    if (value === true) return yes;
    return value === false ? no : { match: 'failed', reason: 'the condition is neither true nor false' };
  } catch (error) {
    return { match: 'failed', reason: summaryOf(error) };
  }
}

function typeProblem(result: { valid: boolean; type?: string; error?: unknown }): BoundProblem | undefined {
  if (!result.valid) return problemOf(result.error);
  if (result.type === 'bool' || result.type === 'dyn') return undefined;
  return { offset: 0, problem: `is of type ${result.type}`, hint: 'A condition is true or false.' };
}

const summaryOf = (error: unknown): string =>
  (error as { summary?: string }).summary ?? (error instanceof Error ? error.message : 'unknown');

function problemOf(error: unknown): BoundProblem {
  const { range } = error as { range?: { start: number } };
  const hint = `${summaryOf(error)}. Variables are ${Object.keys(conditionVariables).join(', ')}.`;
  return { offset: range?.start ?? 0, problem: 'is not a valid condition', hint };
}
