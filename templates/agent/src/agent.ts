/** The agent: a model gets the tools of the servers, makes calls, and gets their outcomes, until it answers. */
import { type AgentTool, createToolkit, type ToolCall, type Toolkit, type ToolOutcome } from 'tenon/agents';
import { createHost } from 'tenon/host';
import weather from './weather.ts';

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

/** The servers of the agent, what it may do with them, and the tools of one conversation. */
export async function withTools<T>(use: (kit: Toolkit) => Promise<T>): Promise<T> {
  const host = createHost({
    // Beside it, commands and URLs: files: { command: 'npx', args: ['-y', '@modelcontextprotocol/server-filesystem', '.'] }
    servers: { weather },
    consent: { tool: ({ tool }) => (tool === 'forecast' ? 'allow' : { deny: 'only forecasts are allowed' }) },
  });
  const kit = createToolkit(host);
  try {
    return await use(kit);
  } finally {
    await kit.close();
    await host.close();
  }
}
