/** Checks the tools of a server as a model meets them: what they cost, and what goes wrong with them. Pure. */

import { messageWithoutHint, type TenonError } from '../../lib/errors/tenon-error.ts';
import { estimateTokens } from '../search/tokens.ts';
import { argumentFindings } from './argument-rules.ts';
import { type CheckedTool, costsOf, type ToolCost } from './cost.ts';
import { descriptionFindings } from './description-rules.ts';
import type { CalledExamples, ExampleCost } from './example-calls.ts';
import { finding, findingLevels, listed, type QualityRule, qualityRules, type ToolFinding } from './finding.ts';
import { hintFindings } from './hint-rules.ts';
import { nameFindings } from './name-rules.ts';
import { schemaFindings } from './schema-rules.ts';

/** What is checked, and how strictly. */
export interface CheckToolsOptions {
  /** The name of the server, as clients write it before the names of tools. */
  readonly server?: string | undefined;
  /** The instructions of the server: clients add them to the prompt. */
  readonly instructions?: string | undefined;
  /** The most tokens that all tools may take. */
  readonly budget?: number | undefined;
  /** Rules without findings: `RULE`, or `RULE:TOOL` for one tool. */
  readonly ignore?: readonly string[] | undefined;
  /** Why tools are not in the list: the client has left them out. */
  readonly leftOut?: readonly TenonError[] | undefined;
  /** Examples that were called. */
  readonly called?: CalledExamples | undefined;
}

/** What the tools of a server cost a model, and what goes wrong with them. */
export interface ToolQualityReport {
  /** Estimated tokens of all tools and the instructions, in every request. */
  readonly tokens: number;
  /** The budget, if there is one. */
  readonly budget?: number;
  /** Estimated tokens of the instructions. */
  readonly instructions: number;
  /** Each tool with its tokens, in the order of the list. */
  readonly tools: readonly ToolCost[];
  /** Each called example with the tokens of its result. */
  readonly results: readonly ExampleCost[];
  /** What was found, errors first. */
  readonly findings: readonly ToolFinding[];
}

/** A tool that takes more is reported by itself: five times the median of 19 servers. */
const largeTool = 1000;

export function checkTools(tools: readonly CheckedTool[], options: CheckToolsOptions = {}): ToolQualityReport {
  const { server = 'server', instructions = '', budget, ignore = [], leftOut = [], called } = options;
  const costs = costsOf(tools);
  const prompt = estimateTokens(instructions);
  const tokens = costs.reduce((sum, one) => sum + one.tokens, prompt);
  const isIgnored = ignoring(ignore);
  const findings = [
    ...budgetFindings(costs, tokens, budget),
    ...leftOut.map(leftOutFinding),
    ...nameFindings(tools, server),
    ...descriptionFindings(tools),
    ...argumentFindings(tools),
    ...hintFindings(tools),
    ...schemaFindings(tools),
    ...(called?.findings ?? []),
  ].filter((one) => !isIgnored(one));
  return {
    tokens,
    ...(budget !== undefined && { budget }),
    instructions: prompt,
    tools: costs,
    results: called?.results ?? [],
    findings: findingLevels.flatMap((level) => findings.filter((one) => one.level === level)),
  };
}

const leftOutFinding = (error: TenonError): ToolFinding =>
  finding(
    'definition-invalid',
    String(error.details.tool),
    messageWithoutHint(error),
    'Correct the definition: it is in no list of a client, or no tool of the server is.',
  );

function budgetFindings(costs: readonly ToolCost[], tokens: number, budget = Number.POSITIVE_INFINITY): ToolFinding[] {
  const largest = costs.toSorted((one, other) => other.tokens - one.tokens);
  const large = costs.filter((one) => one.tokens > largeTool);
  return [
    ...(tokens > budget
      ? [
          finding(
            'over-budget',
            undefined,
            `The tools take about ${tokens} tokens in every request. The budget is ${budget}.`,
            `Shorten descriptions and schemas, or offer fewer tools. The largest: ${listed(largest.map(({ name }) => name))}.`,
          ),
        ]
      : []),
    ...large.map((one) =>
      finding(
        'tool-large',
        one.name,
        `The tool takes about ${one.tokens} tokens in every request.`,
        'Shorten its description and schema, or split it.',
      ),
    ),
  ];
}

const ignoring =
  (ignore: readonly string[]) =>
  ({ rule, tool }: ToolFinding): boolean =>
    ignore.includes(rule) || ignore.includes(`${rule}:${tool}`);

/** The first entry of `ignore` whose rule does not exist. */
export const unknownRule = (ignore: readonly string[]): string | undefined =>
  ignore.map((entry) => entry.split(':')[0] ?? '').find((rule) => !Object.hasOwn(qualityRules, rule));

export const ruleNames = Object.keys(qualityRules) as QualityRule[];
