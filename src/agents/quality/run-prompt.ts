/** Runs an agent on one prompt, within bounds of time and calls, and compares the tools it called with the expected ones. */
import { TenonError } from '../../lib/errors/tenon-error.ts';
import { isRecord } from '../../lib/values/is.ts';
import type { CallToolResult, Tool } from '../../protocol/generated/types/records.ts';
import type { EvalAgent, EvalAnswer, EvalCall, EvalPrompt, PromptOutcome } from './eval-agent.ts';

/** Where an agent runs. */
export interface EvalSetting {
  readonly tools: readonly Tool[];
  readonly maxSteps: number;
  readonly timeoutMs: number;
  /** Ctrl+C. */
  readonly signal: AbortSignal;
  callTool(call: EvalCall, signal: AbortSignal): Promise<CallToolResult>;
  now(): number;
  /** Runs later, unless the function that is returned is called before. */
  after(ms: number, run: () => void): () => void;
}

/**
 * How long an agent may go on after its signal was aborted.
 * @limit agents
 * @beyond the prompt is missed with a line about it, and the next one begins
 */
export const stopMs = 1000;

/** Characters of an answer that are stored. */
const maxAnswerChars = 10_000;

export async function runPrompt(spec: EvalPrompt, agent: EvalAgent, setting: EvalSetting): Promise<PromptOutcome> {
  const { signal, maxSteps, timeoutMs } = setting;
  const began = setting.now();
  const calls: EvalCall[] = [];
  const stop = new AbortController();
  let limit: string | undefined;
  const end = (problem: string): void => {
    limit ??= problem;
    stop.abort(new TenonError('cancelled', problem, { hint: 'Raise --seconds or --steps.' }));
  };
  const clear = setting.after(timeoutMs, () => end(`It took longer than ${timeoutMs / 1000} s.`));
  const both = AbortSignal.any([signal, stop.signal]);
  const call = async (name: string, args: Readonly<Record<string, unknown>> = {}): Promise<CallToolResult> => {
    both.throwIfAborted();
    if (calls.length >= maxSteps) end(`It made more than ${maxSteps} calls.`);
    both.throwIfAborted();
    const made = { name, arguments: args };
    calls.push(made);
    return setting.callTool(made, both);
  };
  const task = { prompt: spec.prompt, tools: setting.tools, call, signal: both };
  signal.throwIfAborted();
  const running = (async () => agent(task))();
  const result = await ending(running, both);
  clear();
  signal.throwIfAborted();
  const goesOn = limit !== undefined && !(await stops(running, setting));
  const answer = 'value' in result ? readAnswer(result.value) : {};
  calls.push(...(answer.calls ?? []));
  const failed = 'value' in result ? limit : (limit ?? `The agent failed: ${messageOf(result.error)}`);
  const all = [failed, answer.problem, goesOn ? notStopped : undefined, ...misses(spec, calls)];
  const problems = all.filter((one) => one !== undefined);
  const { text } = answer;
  return {
    prompt: spec.prompt,
    passed: problems.length === 0,
    calls,
    problems,
    ...(typeof text === 'string' && { answer: text.slice(0, maxAnswerChars) }),
    ms: setting.now() - began,
  };
}

interface ReadAnswer {
  readonly text?: string;
  readonly calls?: readonly EvalCall[];
  readonly problem?: string;
}

/** What an agent returned: it is a program of a user, which may be wrong. */
function readAnswer(value: unknown): ReadAnswer {
  if (value === undefined || value === null) return {};
  if (typeof value === 'string') return { text: value };
  if (!isRecord(value)) return wrongAnswer;
  const { text, calls } = value;
  if (text !== undefined && typeof text !== 'string') return wrongAnswer;
  if (calls !== undefined && !(Array.isArray(calls) && calls.every(isCall))) return wrongAnswer;
  return { ...(text !== undefined && { text }), ...(calls !== undefined && { calls: calls as EvalCall[] }) };
}

const isCall = (one: unknown): boolean =>
  isRecord(one) && typeof one.name === 'string' && (one.arguments === undefined || isRecord(one.arguments));

const wrongAnswer: ReadAnswer = {
  problem: 'The agent returned neither a text nor { text, calls: [{ name, arguments }] }.',
};

type Ended = { readonly value: EvalAnswer } | { readonly error: unknown };

/** Ends with the signal, also if the agent goes on. */
function ending(running: Promise<EvalAnswer>, signal: AbortSignal): Promise<Ended> {
  return new Promise((resolve) => {
    const onAbort = (): void => resolve({ error: signal.reason });
    if (signal.aborted) return onAbort();
    signal.addEventListener('abort', onAbort, { once: true });
    running
      .then(
        (value) => resolve({ value }),
        (error: unknown) => resolve({ error }),
      )
      .finally(() => signal.removeEventListener('abort', onAbort));
  });
}

const notStopped = 'The agent went on after its signal was aborted: pass it to your requests.';

function stops(running: Promise<EvalAnswer>, { after }: EvalSetting): Promise<boolean> {
  return new Promise((resolve) => {
    const clear = after(stopMs, () => resolve(false));
    const stopped = (): void => {
      clear();
      resolve(true);
    };
    running.then(stopped, stopped);
  });
}

/** How the calls differ from what was expected. */
export function misses({ expected, forbidden }: EvalPrompt, calls: readonly EvalCall[]): string[] {
  const called = new Set(calls.map(({ name }) => name));
  const isForbidden = (name: string): boolean =>
    forbidden.includes(name) || (forbidden.includes('*') && !expected.includes(name));
  return [
    ...expected.filter((name) => !called.has(name)).map((name) => `\`${name}\` was not called.`),
    ...[...called].filter(isForbidden).map((name) => `\`${name}\` was called, and is forbidden.`),
  ];
}

/** The agent that makes the calls of a script: it tests the file and the server without a model. */
export const scriptedAgent =
  ({ script = [] }: EvalPrompt): EvalAgent =>
  async ({ call }) => {
    for (const { name, arguments: args } of script) await call(name, args);
  };

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error)).slice(0, 500);
