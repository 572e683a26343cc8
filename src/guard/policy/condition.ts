/** Compiles conditions in CEL, and evaluates them within bounds. */
import { Environment, EvaluationError } from '@marcbachmann/cel-js';
import { RE2JS } from 're2js';
import {
  type BoundProblem,
  boundCondition,
  countedFunctions,
  countedMethods,
  identifiersIn,
} from './condition-bounds.ts';
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
  throw new ConditionInputError(`functions on texts take more than ${maxTextSteps} steps`);
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
  countMethods(environment, patterns);
  countFunctions(environment);
  return environment;
}

function countMethods(environment: Environment, patterns: Patterns): void {
  const onText = (name: keyof typeof countedMethods, result: string, run: (text: string) => unknown): unknown =>
    environment.registerFunction(`string.${countedMethods[name]}(): ${result}`, (text: string) => {
      spend(text.length);
      return run(text);
    });
  onText('size', 'int', sizeOf);
  onText('trim', 'string', (text) => text.trim());
  onText('lowerAscii', 'string', (text) => text.toLowerCase());
  onText('upperAscii', 'string', (text) => text.toUpperCase());
  for (const type of ['list', 'map'])
    environment.registerFunction(`${type}.${countedMethods.size}(): int`, (value: unknown) => sizeOf(value));
  const withPart = (
    name: 'contains' | 'startsWith' | 'endsWith',
    run: (text: string, part: string) => boolean,
    isWhole: boolean,
  ): unknown =>
    environment.registerFunction(`string.${countedMethods[name]}(string): bool`, (text: string, part: string) => {
      spend(part.length + (isWhole ? text.length : 0));
      return run(text, part);
    });
  withPart('contains', (text, part) => text.includes(part), true);
  withPart('startsWith', (text, part) => text.startsWith(part), false);
  withPart('endsWith', (text, part) => text.endsWith(part), false);
  environment.registerFunction(`string.${countedMethods.matches}(string): bool`, (text: string, pattern: string) => {
    const compiled = patterns.get(pattern) ?? compilePattern(pattern, patterns);
    spend(text.length * threadsOf(pattern, compiled));
    return compiled.test(text);
  });
}

/** The types that each function takes, besides texts. */
const ownTypes = { size: ['list', 'map'], int: ['int', 'double'], double: ['int', 'double'], bool: ['bool'] } as const;

function countFunctions(environment: Environment): void {
  const original = new Environment({ unlistedVariablesAreDyn: true });
  for (const [name, types] of Object.entries(ownTypes)) {
    const run = original.parse(`${name}(value)`);
    const result = name === 'size' ? 'int' : name;
    for (const type of ['string', ...types])
      environment.registerFunction(
        `${countedFunctions[name as keyof typeof ownTypes]}(${type}): ${result}`,
        (value: unknown) => {
          if (typeof value === 'string') spend(value.length);
          return converted(run, value);
        },
      );
  }
}

/** An error of it gets the place of the condition that converts. */
function converted(run: (variables: ConditionVariables) => unknown, value: unknown): unknown {
  try {
    return run({ value });
  } catch (error) {
    const { code = 'conversion_error' } = error as { code?: string };
    throw new EvaluationError({ code, message: summaryOf(error) });
  }
}

const sizeOf = (value: unknown): bigint => {
  if (typeof value !== 'string')
    return BigInt(Array.isArray(value) ? value.length : (value as Map<unknown, unknown>).size);
  let size = 0;
  for (const _ of value) size++;
  return BigInt(size);
};

/** How many instructions of a pattern a character may meet. Repetitions that are counted, and options, are tried at once. */
const threadsOf = (pattern: string, compiled: RE2JS): number =>
  /[{?]/.test(pattern) ? compiled.programSize() : Math.ceil(compiled.programSize() / 8);

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
