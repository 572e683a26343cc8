/** The loop of an agent: the model gets the tools of the turn, makes calls, and gets their outcomes, until it answers. */
import type { AgentTool, ToolCall, Toolkit, ToolOutcome } from 'tenon/agents';

/** What a model gets in one turn. */
export interface Turn {
  readonly question: string;
  readonly instructions: string;
  readonly tools: readonly AgentTool[];
  /** The outcomes of the calls of the turn before. */
  readonly outcomes: readonly ToolOutcome[];
}

/** A model: it answers, or makes calls. */
export type Model = (turn: Turn) => Promise<{ readonly answer: string } | { readonly calls: readonly ToolCall[] }>;

/** More turns would cost more than they help. */
const maxTurns = 20;

export async function runAgent(kit: Toolkit, model: Model, question: string): Promise<string> {
  let outcomes: readonly ToolOutcome[] = [];
  for (let turn = 0; turn < maxTurns; turn++) {
    const { tools, instructions } = await kit.list();
    const offered = tools.filter(({ deferred }) => !deferred);
    const step = await model({ question, instructions, tools: offered, outcomes });
    if ('answer' in step) return step.answer;
    outcomes = await kit.callAll(step.calls);
  }
  return `No answer after ${maxTurns} turns.`;
}
