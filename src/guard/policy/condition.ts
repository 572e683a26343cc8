/** Compiles conditions in CEL, and evaluates them within bounds. */
import { Environment } from '@marcbachmann/cel-js';
import { RE2JS } from 're2js';
import { type BoundProblem, boundCondition, countedMethods, identifiersIn } from './condition-bounds.ts';
import { ConditionInputError, type ConditionVariables, conditionVariables } from './condition-values.ts';
import { maxConditionDepth, maxConditionNodes, maxItems, maxPatternSize, maxTextSteps } from './limits.ts';

/** Whether a condition holds. `failed` means unknown: it counts in `deny` rules, and never allows. */
export type Match = 'yes' | 'no' | 'failed';

/** The result of a condition; `reason` is why it failed. */
export interface ConditionOutcome {
  readonly match: Match;
  readonly reason?: string;
}

/** The steps that are left for the conditions of one decision. */
export interface StepBudget {
  steps: number;
}

/** A compiled condition. */
export interface Condition {
  evaluate(variables: ConditionVariables, budget: StepBudget): ConditionOutcome;
  /** Whether it reads a variable. */
  reads(variable: keyof typeof conditionVariables): boolean;
}

const yes: ConditionOutcome = { match: 'yes' };
const no: ConditionOutcome = { match: 'no' };

/** The budget of the evaluation that runs. Evaluations are synchronous, so there is one at a time. */
let budget: StepBudget = { steps: 0 };

function spend(steps: number): void {
  budget.steps -= steps;
  if (budget.steps >= 0) return;
  throw new ConditionInputError(`matches and contains take more than ${maxTextSteps} steps`);
}

/** Compiled patterns by their text. They are literals, so there are as many as the policies have. */
type Patterns = Map<string, RE2JS>;

function createEnvironment(patterns: Patterns): Environment {
  const environment = new Environment({
    homogeneousAggregateLiterals: false,
    limits: {
      maxAstNodes: maxConditionNodes,
      maxDepth: maxConditionDepth,
      maxListElements: maxItems,
      maxMapEntries: maxItems,
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
  if (compiled.programSize() > maxPatternSize) throw new Error('The pattern is too large');
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
      const names = new Set(identifiersIn(parsed.ast));
      return {
        evaluate: (variables, steps) => evaluate(text, parsed, variables, steps),
        reads: (variable) => names.has(variable),
      };
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
        const hint = `${(error as Error).message}. Patterns are those of RE2, of at most ${maxPatternSize} instructions.`;
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

function evaluate(
  text: string,
  run: (variables: ConditionVariables) => unknown,
  variables: ConditionVariables,
  steps: StepBudget,
): ConditionOutcome {
  budget = steps;
  try {
    const value = run(variables);
    if (value === true) return yes;
    return value === false ? no : { match: 'failed', reason: 'the condition is neither true nor false' };
  } catch (error) {
    return { match: 'failed', reason: reasonOf(text, error) };
  }
}

/** Quotes the condition, never a value: messages of CEL have values, which may be private. */
function reasonOf(text: string, error: unknown): string {
  if (error instanceof ConditionInputError) return error.message;
  const { code, range } = error as { code?: string; range?: { start: number; end: number } };
  if (code === undefined || range === undefined) return 'it cannot be evaluated';
  return `${code.replaceAll('_', ' ')}: ${text.slice(range.start, range.end)}`;
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
