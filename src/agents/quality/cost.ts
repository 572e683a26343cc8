/** What tools cost a model: an estimate of the tokens that each definition takes in every request. */
import type { Tool } from '../../protocol/generated/types/records.ts';
import { estimateTokens } from '../search/tokens.ts';

/** What is checked of a tool. */
export type CheckedTool = Pick<Tool, 'name' | 'title' | 'description' | 'inputSchema' | 'annotations'>;

/** What one tool costs. */
export interface ToolCost {
  /** The name of the tool. */
  readonly name: string;
  /** Estimated tokens: characters of the definition as JSON, divided by 4. */
  readonly tokens: number;
}

/** Models get name, description and input schema; titles, hints and output schemas stay with the client. */
export const tokensOf = ({ name, description = '', inputSchema }: CheckedTool): number =>
  estimateTokens(JSON.stringify({ name, description, inputSchema }));

/** The costs in the order of the list. */
export const costsOf = (tools: readonly CheckedTool[]): ToolCost[] =>
  tools.map((tool) => ({ name: tool.name, tokens: tokensOf(tool) }));
