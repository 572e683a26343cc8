/** The scripts of one toolkit: those that run, and those that are suspended until an interrupt is answered. */
import type { AgentCallOptions, Interrupt, InterruptAnswer, ToolCall, Toolkit, ToolOutcome } from '../agents/api.ts';
import { failed } from '../agents/calls/outcome.ts';
import type { Filled } from '../lib/options/read-options.ts';
import { canonicalJson, digestOfText } from '../lib/text/canonical-json.ts';
import { orAborted } from '../lib/time/or-aborted.ts';
import type { codeLimits } from './options.table.ts';
import type { CodeLimits } from './options.ts';
import { maxProblemChars } from './options.ts';
import { type ScriptAnswer, ScriptRun, type ScriptStep } from './script-run.ts';
import { closedToolkit, lostScript, outcomeOf, tooLongScript, tooManyScripts } from './script-texts.ts';

type Limits = Filled<CodeLimits, typeof codeLimits>;
type ResultOutcome = Extract<ToolOutcome, { type: 'result' }>;

/** The tools that a script can call: the names of all, and of those whose result has a schema. */
export interface ScriptTools {
  readonly names: readonly string[];
  readonly structured: ReadonlySet<string>;
}

interface RunningScript {
  readonly call: ToolCall;
  readonly run: ScriptRun;
  /** The interrupt at which it is suspended. */
  interrupt: Interrupt | undefined;
}

export class Scripts {
  readonly #kit: Toolkit;
  readonly #engine: string;
  readonly #limits: Limits;
  /** In the order in which they began, or were suspended. */
  readonly #scripts = new Set<RunningScript>();
  #isClosed = false;

  constructor(kit: Toolkit, engine: string, limits: Limits) {
    this.#kit = kit;
    this.#engine = engine;
    this.#limits = limits;
  }

  /** Rejects only if the signal is aborted, which ends the script. */
  async run(call: ToolCall, script: string, tools: ScriptTools, options: AgentCallOptions): Promise<ToolOutcome> {
    if (this.#isClosed) return failed(call.id, closedToolkit);
    const { maxScripts, maxScriptChars, maxMemoryBytes, ...limits } = this.#limits;
    if (script.length > maxScriptChars) return failed(call.id, tooLongScript(script.length, maxScriptChars));
    if (!this.#makeRoom()) return failed(call.id, tooManyScripts(maxScripts));
    const kit = this.#kit;
    const run = new ScriptRun(
      script,
      {
        thread: { engine: this.#engine, maxMemoryBytes },
        limits: { ...limits, maxProblemChars },
        names: tools.names,
        // No media: a script gets text.
        call: (number, name, args, signal) =>
          kit.call({ id: `${call.id}/${number}`, name, arguments: args }, { signal, media: [] }),
        resume: (interrupt, answer, signal) => kit.resume(interrupt, answer, { signal, media: [] }),
        answerOf: (name, outcome) => answerOf(outcome, tools.structured.has(name)),
      },
      seedOf(`${kit.id} ${call.id}`),
    );
    return this.#follow({ call, run, interrupt: undefined }, () => run.next(), options);
  }

  /** Rejects for an aborted signal, and for an answer that does not fit the interrupt. */
  async resume(interrupt: Interrupt, answer: InterruptAnswer, options: AgentCallOptions): Promise<ToolOutcome> {
    const found = [...this.#scripts].find((one) => one.interrupt?.sealed === interrupt.sealed);
    const isSame = found !== undefined && canonicalJson(found.interrupt?.call) === canonicalJson(interrupt.call);
    if (!isSame || isExpired(found.interrupt)) return failed(interrupt.call.id, lostScript);
    const before = found.interrupt;
    // A second answer at the same time finds nothing.
    found.interrupt = undefined;
    const next = async (): Promise<ScriptStep> => {
      try {
        await found.run.resume(answer);
      } catch (error) {
        found.interrupt = before;
        throw error;
      }
      return found.run.next();
    };
    return this.#follow(found, next, options);
  }

  close(): void {
    this.#isClosed = true;
    for (const one of this.#scripts) one.run.end();
    this.#scripts.clear();
  }

  async #follow(
    script: RunningScript,
    next: () => Promise<ScriptStep>,
    { signal }: AgentCallOptions,
  ): Promise<ToolOutcome> {
    const { call, run } = script;
    this.#scripts.delete(script);
    this.#scripts.add(script);
    let step: ScriptStep;
    try {
      step = await orAborted(next(), signal);
    } catch (error) {
      if (signal?.aborted === true) this.#end(script);
      throw error;
    }
    if (step.type === 'interrupt') {
      // It waits in a thread of this process.
      script.interrupt = { ...step.interrupt, durable: false };
      this.#scripts.delete(script);
      this.#scripts.add(script);
      return { type: 'interrupt', callId: call.id, interrupt: script.interrupt };
    }
    this.#end(script);
    return outcomeOf(call.id, step.end, run, this.#limits.maxOutputChars);
  }

  #end(script: RunningScript): void {
    this.#scripts.delete(script);
    script.run.end();
  }

  /** Ends what can not be resumed any more, and if that is not enough the script that was suspended first. */
  #makeRoom(): boolean {
    for (const one of this.#scripts) if (one.interrupt !== undefined && isExpired(one.interrupt)) this.#end(one);
    for (const one of this.#scripts) {
      if (this.#scripts.size < this.#limits.maxScripts) return true;
      if (one.interrupt !== undefined) this.#end(one);
    }
    return this.#scripts.size < this.#limits.maxScripts;
  }
}

const isExpired = (interrupt: Interrupt | undefined): boolean => (interrupt?.expiresAt ?? Infinity) <= Date.now();

/** A script works with the whole result: it is shortened for models only. */
function answerOf({ isError, text, result }: ResultOutcome, isStructured: boolean): ScriptAnswer {
  if (isError || result === undefined) return { isError, value: text };
  if (isStructured && result.structuredContent !== undefined) return { isError, value: result.structuredContent };
  const texts = (result.content ?? []).map((block) => (block.type === 'text' ? block.text : undefined));
  return { isError, value: texts.includes(undefined) ? text : texts.join('\n') };
}

/** The same for the same call, so that a script that is run again draws the same numbers. */
const seedOf = (text: string): number => Number.parseInt(digestOfText(text).slice(0, 6), 36);
