/** `tenon eval`: runs an agent on prompts, and checks which tools it calls. */
import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import type { EvalAgent, EvalPrompt, PromptOutcome } from '../../../agents/quality/eval-agent.ts';
import { type EvalSetting, runPrompt, scriptedAgent } from '../../../agents/quality/run-prompt.ts';
import type { Client } from '../../../client/api/client.ts';
import { RpcError } from '../../../jsonrpc/errors.ts';
import { TenonError } from '../../../lib/errors/tenon-error.ts';
import type { CallToolResult } from '../../../protocol/generated/types/records.ts';
import type { RunCommand } from '../../io/command.ts';
import type { Given } from '../../io/given.ts';
import { showProgress } from '../../output/progress.ts';
import { importModule, prepareImport } from '../../target/import-module.ts';
import { withClient } from '../../target/open-client.ts';
import { ownStack } from '../../target/own-stack.ts';
import { usageError } from '../../usage-error.ts';
import { checkNames, type EvalFile, readEvalFile } from './eval-file.ts';
import { shownOutcomes } from './eval-report.ts';

/** What an option is if it is not set, and what it may be at most. */
interface Bounds {
  readonly usual: number;
  readonly most: number;
}

/**
 * Time for one prompt of `tenon eval`.
 * @limit command line
 * @option --seconds
 * @default 60 s, at most 1 h
 * @beyond the prompt is missed
 */
const seconds: Bounds = { usual: 60, most: 3600 };

/**
 * Calls of one prompt of `tenon eval`.
 * @limit command line
 * @option --steps
 * @default 10, at most 1000
 * @beyond the prompt is missed
 */
const steps: Bounds = { usual: 10, most: 1000 };

const bounds = { seconds, steps };

export const run: RunCommand = async (given) => {
  const [path = ''] = given.words;
  const limits = { timeoutMs: boundOf(given, 'seconds') * 1000, maxSteps: boundOf(given, 'steps') };
  const file = await readEvalFile(path, given.io);
  const hasServer = given.client !== undefined || given.target !== undefined || given.command !== undefined;
  if (!hasServer && given.text('agent') === undefined)
    throw usageError('Neither a server nor an agent was named.', 'Write tenon eval FILE TARGET --agent MODULE.');
  const agentOf = await readAgent(given, file, path);
  const outcomes = hasServer
    ? await withClient(given, (client) => onServer(client, { given, file, path, limits, agentOf }))
    : await runAll(file, agentOf, withoutServer(given, limits), given.io);
  const missed = outcomes.filter(({ passed }) => !passed).length;
  return {
    result: { prompts: outcomes.length, missed, outcomes },
    text: shownOutcomes(outcomes, given.io),
    exit: missed === 0 ? 0 : 1,
  };
};

function boundOf(given: Given, option: keyof typeof bounds): number {
  const { usual, most } = bounds[option];
  const value = (option === 'seconds' ? given.number(option) : given.count(option)) ?? usual;
  if (value > most) throw usageError(`--${option} cannot be ${value}.`, `It can be at most ${most}.`);
  return value;
}

type AgentOf = (prompt: EvalPrompt) => EvalAgent;

/** The function of `--agent`, or the scripts of the file. */
async function readAgent(given: Given, { prompts }: EvalFile, path: string): Promise<AgentOf> {
  const module = given.text('agent');
  if (module !== undefined) {
    const agent = await importAgent(module, given);
    return () => agent;
  }
  const at = prompts.findIndex(({ script }) => script === undefined);
  if (at === -1) return scriptedAgent;
  throw usageError(
    `No agent was named, and prompts[${at}] of ${path} has no script.`,
    'Write --agent MODULE, or a script for each prompt.',
  );
}

async function importAgent(module: string, given: Given): Promise<EvalAgent> {
  const { io } = given;
  const path = resolve(io.cwd, module);
  if (!existsSync(path)) throw usageError(`There is no file ${path}.`, 'Check the path of --agent.');
  // What the agent prints is no result.
  io.reserveOutput();
  // A model that does not answer, or a client that was not closed, must not keep this process alive.
  io.exitWhenDone();
  await prepareImport(path);
  const loaded = await within(importModule(path), module, given).catch((error: unknown) => {
    if (error instanceof TenonError && error.code === 'timeout') throw error;
    throw usageError(
      `${module} could not be loaded:\n    ${ownStack(error).replaceAll('\n', '\n    ')}`,
      'Correct it.',
    );
  });
  const { default: agent } = loaded as { readonly default?: unknown };
  if (typeof agent === 'function') return agent as EvalAgent;
  throw usageError(
    `${module} has no function as its default export.`,
    'Write export default async ({ prompt, tools, call, signal }) => { … }.',
  );
}

/** A module may wait for something in its outermost code. */
function within<T>(loading: Promise<T>, module: string, given: Given): Promise<T> {
  const limit = boundOf(given, 'seconds');
  return new Promise((resolve, reject) => {
    const late = (): void =>
      reject(new TenonError('timeout', `${module} was not loaded within ${limit} s.`, { hint: 'Raise --seconds.' }));
    const clear = given.io.after(limit * 1000, late);
    loading.then(resolve, reject).finally(clear);
  });
}

type Limits = Pick<EvalSetting, 'timeoutMs' | 'maxSteps'>;

interface EvalRun {
  readonly given: Given;
  readonly file: EvalFile;
  readonly path: string;
  readonly limits: Limits;
  readonly agentOf: AgentOf;
}

async function onServer(client: Client, { given, file, path, limits, agentOf }: EvalRun): Promise<PromptOutcome[]> {
  const tools = client.capabilities.tools === undefined ? [] : await client.tools.list().all();
  const names = tools.map(({ name }) => name);
  checkNames(path, file, names);
  const setting: EvalSetting = {
    ...withoutServer(given, limits),
    tools,
    async callTool({ name, arguments: args = {} }, signal) {
      const stored = Object.hasOwn(file.results, name) ? file.results[name] : undefined;
      if (stored !== undefined) return { content: [{ type: 'text', text: stored }] };
      return client.tools.call(name, { ...args }, { signal }).catch(failedCall);
    },
  };
  return runAll(file, agentOf, setting, given.io);
}

/** A model can act on what the server answers; a connection that fails ends the run. */
function failedCall(error: unknown): CallToolResult {
  if (error instanceof RpcError) return { content: [{ type: 'text', text: error.message }], isError: true };
  throw error;
}

const withoutServer = ({ io }: Given, limits: Limits): EvalSetting => ({
  ...limits,
  tools: [],
  signal: io.signal,
  now: () => io.now(),
  after: (ms, callback) => io.after(ms, callback),
  callTool: () =>
    Promise.reject(usageError('There is no server to call.', 'Name one: tenon eval FILE TARGET, or return { calls }.')),
});

async function runAll(
  { prompts }: EvalFile,
  agentOf: AgentOf,
  setting: EvalSetting,
  io: Given['io'],
): Promise<PromptOutcome[]> {
  const progress = showProgress(io, 'prompts');
  const outcomes: PromptOutcome[] = [];
  try {
    for (const prompt of prompts) {
      outcomes.push(await runPrompt(prompt, agentOf(prompt), setting));
      progress.report({ progress: outcomes.length, total: prompts.length });
    }
  } finally {
    progress.end();
  }
  return outcomes;
}
