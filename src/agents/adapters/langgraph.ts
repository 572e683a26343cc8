/** Calls inside a graph of LangGraph, whose nodes run again from their beginning when an interrupt is answered. */
import { TenonError } from '../../lib/errors/tenon-error.ts';
import { isRecord } from '../../lib/values/is.ts';
import type { AgentCallOptions, Interrupt, InterruptAnswer, ToolCall, Toolkit, ToolOutcome } from '../api.ts';
import { checkAnswer } from '../interrupts/check-answer.ts';

/** What a graph is interrupted with. Resume it with an answer that has the ID of the call: `{ callId, decision: 'allow' }`. */
export type LangGraphInterrupt = Interrupt & {
  /** Why the answer before was not taken. */
  readonly problem?: string;
};

/** `interrupt` of LangGraph: throws, or returns the value that the graph is resumed with. */
export type AskGraph = (value: LangGraphInterrupt) => unknown;

/**
 * Calls of one toolkit in graphs whose outcomes are remembered, for when their node runs again.
 * @limit agents
 * @beyond the oldest are made again; a Tenon server runs them once
 */
export const maxReplayedCalls = 64;

/** Answers that do not fit, for one interrupt. A graph throws before. */
const maxMisfits = 100;

interface GraphCalls {
  /** The outcomes of a call, in order: interrupts, then its result. */
  readonly outcomes: Map<string, ToolOutcome[]>;
  /** The last call of each attempt to run a node: answers are matched to interrupts by their order. */
  readonly last: WeakMap<object, Promise<unknown>>;
}

/** By toolkit: tools are often made anew for each run of a graph. */
const graphs = new WeakMap<Toolkit, GraphCalls>();

export interface GraphPlace {
  /** The run of a node, the same when it runs again. */
  readonly node: string;
  /** The same for all calls of one attempt to run the node. An attempt that was interrupted holds up no later one. */
  readonly attempt: object;
  readonly ask: AskGraph;
}

/** Calls of one attempt run one after another, in the order in which the model made them: so each gets its own answer. */
export async function callInGraph(
  kit: Toolkit,
  call: ToolCall,
  { node, attempt, ask }: GraphPlace,
  options: AgentCallOptions,
): Promise<ToolOutcome> {
  const { outcomes, last } = graphs.get(kit) ?? { outcomes: new Map(), last: new WeakMap() };
  graphs.set(kit, { outcomes, last });
  const run = async (before: Promise<unknown> | undefined): Promise<ToolOutcome> => {
    // If the call before has interrupted the node, this one is made when the node runs again.
    await before;
    return replay(kit, call, remembered(outcomes, `${node}\n${call.id}`), ask, options);
  };
  const ran = run(last.get(attempt));
  last.set(attempt, ran);
  return await ran;
}

function remembered(outcomes: GraphCalls['outcomes'], key: string): ToolOutcome[] {
  const known = outcomes.get(key) ?? [];
  outcomes.delete(key);
  for (const [oldest] of outcomes) if (outcomes.size >= maxReplayedCalls) outcomes.delete(oldest);
  outcomes.set(key, known);
  return known;
}

/** Every interrupt is asked again, as the graph requires; what was called or resumed is not repeated. */
async function replay(
  kit: Toolkit,
  call: ToolCall,
  known: ToolOutcome[],
  ask: AskGraph,
  options: AgentCallOptions,
): Promise<ToolOutcome> {
  let resume: (() => Promise<ToolOutcome>) | undefined;
  for (let n = 0; ; n++) {
    const outcome = known[n] ?? (await (resume === undefined ? kit.call(call, options) : resume()));
    known[n] = outcome;
    if (outcome.type === 'result') return outcome;
    const { interrupt } = outcome;
    const answer = answerTo(interrupt, ask);
    resume = () => kit.resume(interrupt, answer, options);
  }
}

/** An answer to another call, or of another form, is not taken: the graph is interrupted again. */
function answerTo(interrupt: Interrupt, ask: AskGraph): InterruptAnswer {
  let problem: TenonError | undefined;
  for (let n = 0; n < maxMisfits; n++) {
    const given = ask({ ...interrupt, ...(problem && { problem: problem.message }) });
    problem = problemOf(interrupt, given);
    if (problem === undefined) return given as InterruptAnswer;
  }
  throw problem;
}

function problemOf(interrupt: Interrupt, given: unknown): TenonError | undefined {
  if (!isRecord(given) || given.callId !== interrupt.call.id)
    return new TenonError('invalid-argument', `The answer is not for the call ${interrupt.call.id}.`, {
      hint: "Resume with { callId: interrupt.call.id, decision: 'allow' }, or with callId and answers.",
    });
  try {
    checkAnswer(interrupt, given as unknown as InterruptAnswer);
    return undefined;
  } catch (error) {
    return error as TenonError;
  }
}
