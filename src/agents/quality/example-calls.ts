/** Calls of tools with example arguments, and what their results cost a model. */
import type { CallToolResult } from '../../protocol/generated/types/records.ts';
import { estimateTokens } from '../search/tokens.ts';
import { finding, type ToolFinding } from './finding.ts';

/** Arguments to call tools with, by the name of the tool. */
export type ToolExamples = Readonly<Record<string, readonly Readonly<Record<string, unknown>>[]>>;

/** What one call of an example took. */
export interface ExampleCost {
  /** The name of the tool. */
  readonly tool: string;
  /** Estimated tokens of the result's text. */
  readonly tokens: number;
}

export interface CalledExamples {
  readonly results: readonly ExampleCost[];
  readonly findings: readonly ToolFinding[];
}

/** A result that the toolkit of an agent gives a model whole: 20,000 characters. */
export const defaultResultBudget = 5000;

type CallTool = (name: string, args: Readonly<Record<string, unknown>>) => Promise<CallToolResult>;

/** One after another: they may depend on each other. */
export async function callExamples(
  examples: ToolExamples,
  call: CallTool,
  resultBudget = defaultResultBudget,
): Promise<CalledExamples> {
  const results: ExampleCost[] = [];
  const findings: ToolFinding[] = [];
  for (const [tool, all] of Object.entries(examples))
    for (const [index, args] of all.entries()) {
      const result = await call(tool, args);
      const tokens = tokensOfResult(result);
      results.push({ tool, tokens });
      findings.push(...exampleFindings(tool, index + 1, { result, tokens, resultBudget }));
    }
  return { results, findings };
}

interface Called {
  readonly result: CallToolResult;
  readonly tokens: number;
  readonly resultBudget: number;
}

function exampleFindings(tool: string, number: number, { result, tokens, resultBudget }: Called): ToolFinding[] {
  const failed = result.isError === true;
  return [
    ...(failed
      ? [
          finding(
            'example-failed',
            tool,
            `Example ${number} ended with an error: "${textOf(result).slice(0, 200)}".`,
            'Correct the arguments of the example, or the tool.',
          ),
        ]
      : []),
    ...(tokens > resultBudget
      ? [
          finding(
            'result-large',
            tool,
            `The result of example ${number} takes about ${tokens} tokens. The budget for a result is ${resultBudget}.`,
            'Return less by default: pages, a limit, fewer fields, or a link to the whole.',
          ),
        ]
      : []),
  ];
}

/** Text as a model gets it; images and sounds are counted by each provider in its own way. */
function tokensOfResult(result: CallToolResult): number {
  const text = textOf(result);
  return estimateTokens(text === '' ? JSON.stringify(result.structuredContent ?? '') : text);
}

const textOf = ({ content = [] }: CallToolResult): string =>
  content
    .map((block) => {
      if (block.type === 'text') return block.text;
      return block.type === 'resource' && 'text' in block.resource ? block.resource.text : '';
    })
    .join('\n')
    .trim();
