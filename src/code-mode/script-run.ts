/** One script from its start to its end: its calls, the time that it computes, and the interrupts at which it is suspended. */
import type { Interrupt, InterruptAnswer, ToolOutcome } from '../agents/api.ts';
import { TenonError } from '../lib/errors/tenon-error.ts';
import type { EndCode, FromThread, ThreadData, ThreadLimits } from './messages.ts';
import { maxStartMs, uninterruptedMs } from './options.ts';
import { type ScriptThread, startThread } from './thread.ts';

/** How a script ended. */
export type ScriptEnd =
  | { readonly type: 'returned'; readonly json: string; readonly chars: number }
  /** It has thrown, or has a mistake in its syntax. */
  | { readonly type: 'thrown'; readonly text: string }
  | { readonly type: 'ended'; readonly error: TenonError };

/** What comes next of a script: its end, or an interrupt of one of its calls. */
export type ScriptStep =
  | { readonly type: 'end'; readonly end: ScriptEnd }
  | { readonly type: 'interrupt'; readonly interrupt: Interrupt };

/** What a script gets for a call. */
export type ScriptAnswer = { readonly isError: boolean; readonly value: unknown };

export interface ScriptPorts {
  readonly thread: ThreadData;
  readonly limits: ThreadLimits & { readonly maxResultChars: number };
  readonly names: readonly string[];
  /** Makes a call with all checks. Rejects only if the signal is aborted. */
  call(number: number, name: string, args: string, signal: AbortSignal): Promise<ToolOutcome>;
  resume(interrupt: Interrupt, answer: InterruptAnswer, signal: AbortSignal): Promise<ToolOutcome>;
  /** What the script gets of an outcome. */
  answerOf(name: string, outcome: Extract<ToolOutcome, { type: 'result' }>): ScriptAnswer;
}

interface InterruptedCall {
  readonly call: number;
  readonly name: string;
  readonly interrupt: Interrupt;
}

export class ScriptRun {
  /** The names of the tools whose calls were made, in order. */
  readonly called: string[] = [];
  readonly logs: string[] = [];
  readonly #ports: ScriptPorts;
  readonly #allowed: ReadonlySet<string>;
  readonly #ending = new AbortController();
  readonly #thread: ScriptThread;
  readonly #interrupted: InterruptedCall[] = [];
  #logged = 0;
  #inFlight = 0;
  #posted = 0;
  #isIdle = false;
  #isStarted = false;
  /** Of what the script itself has brought about; it counts when its calls have ended. */
  #end: ScriptEnd | undefined;
  #isOver = false;
  #usedMs = 0;
  #since = 0;
  #timer: NodeJS.Timeout | undefined;
  #report: ((step: ScriptStep) => void) | undefined;

  constructor(script: string, ports: ScriptPorts, seed: number) {
    this.#ports = ports;
    this.#allowed = new Set(ports.names);
    const { names, limits } = ports;
    this.#thread = startThread(ports.thread, {
      onMessage: (message) => {
        if (message.type === 'ready' && !this.#isStarted) {
          this.#isStarted = true;
          this.#thread.send({ type: 'start', script, names, now: Date.now(), seed, limits });
          this.#measure();
        } else this.#receive(message);
      },
      onLost: (code, text) => this.#fail(code, text),
    });
    this.#timer = setTimeout(() => this.#fail('script-failed', 'Its thread did not start in time.'), maxStartMs);
  }

  /** Resolves with what comes next. Called once after the start, and once after each answer to an interrupt. */
  next(): Promise<ScriptStep> {
    return new Promise((resolve) => {
      this.#report = resolve;
      this.#thread.hold(true);
      this.#look();
    });
  }

  /** Continues the interrupted call. Rejects for an answer that does not fit, which changes nothing. */
  async resume(answer: InterruptAnswer): Promise<void> {
    const [first] = this.#interrupted;
    if (first === undefined) throw new TenonError('invalid-argument', 'The script is not suspended.');
    this.#inFlight++;
    let outcome: ToolOutcome;
    try {
      outcome = await this.#ports.resume(first.interrupt, answer, this.#ending.signal);
    } catch (error) {
      if (this.#isOver) return;
      throw error;
    } finally {
      this.#inFlight--;
    }
    this.#interrupted.shift();
    this.#settle(first.call, first.name, outcome);
  }

  /** Ends the thread and cancels the calls. */
  end(): void {
    if (!this.#isOver) this.#finish({ type: 'ended', error: new TenonError('cancelled', 'The script was cancelled.') });
  }

  #receive(message: FromThread): void {
    if (this.#isOver) return;
    switch (message.type) {
      case 'ready':
        return;
      case 'call':
        this.#call(message.call, message.name, message.args);
        return;
      case 'log':
        this.#log(message.text);
        return;
      case 'returned':
        this.#end ??= { type: 'returned', json: message.json, chars: message.chars };
        return;
      case 'thrown':
        this.#end ??= { type: 'thrown', text: message.text.slice(0, this.#ports.limits.maxProblemChars) };
        return;
      case 'idle':
        // It is not if a result is on its way to it.
        if (message.received !== this.#posted) return;
        this.#isIdle = true;
        this.#pause();
        if (message.isOutOfMemory && this.#isStuck()) this.#fail('script-out-of-memory', 'It has no memory left.');
        else this.#look();
        return;
      case 'ended':
        this.#fail(message.code, message.text.slice(0, this.#ports.limits.maxProblemChars));
    }
  }

  #call(number: number, name: string, args: string): void {
    const { limits } = this.#ports;
    // The thread has counted and measured: this is for one that an attacker has changed.
    if (this.called.length >= limits.maxCalls || args.length > limits.maxArgumentChars || !this.#allowed.has(name)) {
      this.#fail('script-limit-exceeded', 'It made a call that is not allowed to scripts.');
      return;
    }
    this.called.push(name);
    this.#inFlight++;
    void this.#follow(number, name, this.#ports.call(number, name, args, this.#ending.signal));
  }

  async #follow(call: number, name: string, running: Promise<ToolOutcome>): Promise<void> {
    // It rejects only if the script has ended.
    const outcome = await running.catch(() => undefined);
    this.#inFlight--;
    if (outcome === undefined) this.#look();
    else this.#settle(call, name, outcome);
  }

  #settle(call: number, name: string, outcome: ToolOutcome): void {
    if (this.#isOver) return;
    if (outcome.type === 'interrupt') this.#interrupted.push({ call, name, interrupt: outcome.interrupt });
    else if (this.#end === undefined) {
      const { isError, value } = this.#ports.answerOf(name, outcome);
      const json = JSON.stringify(value) ?? 'null';
      const { maxResultChars } = this.#ports.limits;
      const tooLong = `The result of ${name} has ${json.length} characters, over the limit of ${maxResultChars} (limits.maxResultChars). It has run. Ask for less, such as a page or a filter.`;
      this.#posted++;
      this.#isIdle = false;
      this.#measure();
      if (json.length > maxResultChars) this.#thread.send({ type: 'failed', call, json: JSON.stringify(tooLong) });
      else this.#thread.send({ type: isError ? 'failed' : 'result', call, json });
    }
    this.#look();
  }

  #log(text: string): void {
    const left = this.#ports.limits.maxOutputChars - this.#logged;
    if (left <= 0) return;
    this.logs.push(text.slice(0, left));
    this.#logged += text.length + 1;
  }

  /** The thread looks at the time itself, where the engine lets it. */
  #measure(): void {
    clearTimeout(this.#timer);
    this.#since = performance.now();
    const { timeMs } = this.#ports.limits;
    const late = (): void => this.#fail('script-timeout', `It computed for more than ${timeMs} ms (limits.timeMs).`);
    this.#timer = setTimeout(late, Math.max(0, 2 * timeMs + uninterruptedMs - this.#usedMs));
  }

  #pause(): void {
    if (this.#timer === undefined) return;
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#usedMs += performance.now() - this.#since;
  }

  /** Whether nothing will continue the script. */
  #isStuck(): boolean {
    return this.#end === undefined && this.#inFlight === 0 && this.#interrupted.length === 0;
  }

  #fail(code: EndCode, text: string): void {
    if (!this.#isOver) this.#finish({ type: 'ended', error: new TenonError(code, text) });
  }

  #finish(end: ScriptEnd): void {
    this.#isOver = true;
    this.#end = end;
    clearTimeout(this.#timer);
    this.#ending.abort(new TenonError('cancelled', 'The script has ended.'));
    this.#thread.end();
    this.#look();
  }

  /** Reports what comes next, if there is nothing to wait for. */
  #look(): void {
    const report = this.#report;
    if (report === undefined) return;
    if (this.#isOver && this.#end !== undefined) {
      this.#report = undefined;
      report({ type: 'end', end: this.#end });
      return;
    }
    if (!this.#isIdle || this.#inFlight > 0) return;
    const [first] = this.#interrupted;
    if (first !== undefined) {
      this.#thread.hold(false);
      this.#report = undefined;
      report({ type: 'interrupt', interrupt: first.interrupt });
    } else if (this.#end !== undefined) this.#finish(this.#end);
    else this.#fail('script-failed', 'It waits for something that never happens.');
  }
}
