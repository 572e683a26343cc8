/** One script in the engine: what it can reach, when it is interrupted, and the text that crosses in both directions. */
import type {
  QuickJSContext,
  QuickJSDeferredPromise,
  QuickJSHandle,
  QuickJSRuntime,
  QuickJSWASMModule,
} from 'quickjs-emscripten';
import type { EndCode, FromThread, StartMessage } from '../messages.ts';
import type { MemoryCap } from './memory-cap.ts';
import { prelude } from './prelude.ts';

/** Bytes of the stack of the engine: a script that recurses gets an error before that of this thread ends. */
const maxStackBytes = 256 * 1024;

/** Jobs between two looks at the time: the engine does not look while it goes from one to the next. */
const jobsAtOnce = 100;

const maxNameChars = 200;

/** JSON escapes a character with at most six. */
const charsInJson = (chars: number): number => 6 * chars + 2;

export interface SandboxPorts {
  readonly engine: QuickJSWASMModule;
  readonly memory: MemoryCap;
  readonly maxMemoryBytes: number;
  send(message: FromThread): void;
}

export class Sandbox {
  readonly #ports: SandboxPorts;
  readonly #start: StartMessage;
  readonly #runtime: QuickJSRuntime;
  readonly #context: QuickJSContext;
  /** The promises that a script has got for its calls. */
  readonly #waiting = new Map<number, QuickJSDeferredPromise>();
  #calls = 0;
  #received = 0;
  #usedMs = 0;
  #since = performance.now();
  #isEnded = false;

  constructor(start: StartMessage, ports: SandboxPorts) {
    this.#ports = ports;
    this.#start = start;
    this.#runtime = ports.engine.newRuntime();
    this.#runtime.setMemoryLimit(ports.maxMemoryBytes);
    this.#runtime.setMaxStackSize(maxStackBytes);
    this.#runtime.setInterruptHandler(() => {
      this.#lookAtTime();
      return this.#isEnded;
    });
    this.#context = this.#runtime.newContext();
  }

  run(): void {
    this.#compute(() => {
      const context = this.#context;
      const { script } = this.#start;
      const begin = context.unwrapResult(context.evalCode(prelude, 'prelude.js', { type: 'global' }));
      const run = context.unwrapResult(context.callFunction(begin, context.undefined, ...this.#given()));
      // On the same line, so that lines of errors are those of the script.
      const main = context.evalCode(`(async () => {${script}\n})`, 'script.js', { type: 'global' });
      if (main.error === undefined) context.callFunction(run, context.undefined, main.value).dispose();
      else {
        const text = this.#problemOf(main.error);
        main.error.dispose();
        if (!this.#isEnded) this.#ports.send({ type: 'thrown', text });
      }
    });
  }

  /** Continues the script with the result of a call, as JSON. */
  settle(call: number, isError: boolean, json: string): void {
    this.#received++;
    const promise = this.#waiting.get(call);
    this.#waiting.delete(call);
    this.#compute(() => {
      if (promise === undefined) return;
      const value = this.#textIn(json);
      if (value === undefined) return;
      if (isError) promise.reject(value);
      else promise.resolve(value);
      value.dispose();
      promise.dispose();
    });
  }

  /** What the prelude gets, in its order. */
  #given(): QuickJSHandle[] {
    const { names, now, seed, limits } = this.#start;
    const context = this.#context;
    const numbers = [now, seed, limits.maxOutputChars, limits.maxProblemChars].map((one) => context.newNumber(one));
    return [context.newString(JSON.stringify(names)), ...this.#functions(), ...numbers];
  }

  #functions(): QuickJSHandle[] {
    const context = this.#context;
    const { maxOutputChars, maxProblemChars } = this.#start.limits;
    const { send } = this.#ports;
    const call = context.newFunction('call', (name, args) => this.#call(name, args));
    const log = context.newFunction('log', (handle) => {
      const text = unwrapped(this.#textOf(handle, charsInJson(maxOutputChars), 'A line of the log has'));
      if (text !== undefined) send({ type: 'log', text });
    });
    const returned = context.newFunction('returned', (handle, chars) => {
      const json = this.#textOf(handle, maxOutputChars, 'What is returned has');
      if (json !== undefined) send({ type: 'returned', json, chars: context.getNumber(chars) });
    });
    const thrown = context.newFunction('thrown', (handle) => {
      const text = unwrapped(this.#textOf(handle, charsInJson(maxProblemChars), 'An error has'));
      if (text?.startsWith('InternalError: out of memory')) this.#endOutOfMemory();
      else if (text !== undefined) send({ type: 'thrown', text });
    });
    return [call, log, returned, thrown];
  }

  #call(nameHandle: QuickJSHandle, argsHandle: QuickJSHandle): QuickJSHandle | undefined {
    const { maxCalls, maxArgumentChars } = this.#start.limits;
    const call = ++this.#calls;
    if (call > maxCalls) this.#end('script-limit-exceeded', `It makes more than ${maxCalls} calls (limits.maxCalls).`);
    const name = this.#textOf(nameHandle, maxNameChars, 'The name of a tool has');
    const args = this.#textOf(argsHandle, maxArgumentChars, `The arguments of ${name} have`);
    if (name === undefined || args === undefined) return undefined;
    const promise = this.#context.newPromise();
    this.#waiting.set(call, promise);
    this.#ports.send({ type: 'call', call, name, args });
    return promise.handle;
  }

  /** Lets the script compute until nothing is left to do. */
  #compute(work: () => void): void {
    if (this.#isEnded) return;
    const { memory, send } = this.#ports;
    this.#since = performance.now();
    try {
      work();
      while (!this.#isEnded && this.#runtime.hasPendingJob()) {
        // It fails for a job that was interrupted, or that had no memory to report its own error.
        this.#runtime.executePendingJobs(jobsAtOnce).dispose();
        this.#lookAtTime();
      }
    } catch (error) {
      // The engine itself has failed: it is not used again.
      if (memory.isReached) this.#endOutOfMemory();
      else this.#end('script-failed', `The engine failed: ${String(error).slice(0, 200)}`);
    }
    this.#usedMs += performance.now() - this.#since;
    if (!this.#isEnded) send({ type: 'idle', received: this.#received, isOutOfMemory: memory.isReached });
  }

  #lookAtTime(): void {
    const { timeMs } = this.#start.limits;
    if (this.#usedMs + performance.now() - this.#since > timeMs)
      this.#end('script-timeout', `It computed for more than ${timeMs} ms (limits.timeMs).`);
  }

  #end(code: EndCode, text: string): void {
    if (this.#isEnded) return;
    this.#isEnded = true;
    this.#ports.send({ type: 'ended', code, text });
  }

  #endOutOfMemory(): void {
    this.#end(
      'script-out-of-memory',
      `It needs more than ${this.#ports.maxMemoryBytes} bytes (limits.maxMemoryBytes).`,
    );
  }

  /** The text of a script, unless it is longer than what may be copied out of the engine. */
  #textOf(handle: QuickJSHandle, maxChars: number, what: string): string | undefined {
    const context = this.#context;
    if (this.#isEnded || context.typeof(handle) !== 'string') return undefined;
    const chars = context.getProp(handle, 'length').consume((length) => context.getNumber(length));
    if (chars <= maxChars) return context.getString(handle);
    this.#end('script-limit-exceeded', `${what} ${chars} characters, over the limit of ${maxChars}.`);
    return undefined;
  }

  /** A text that the engine has no memory for would be written over what it has. */
  #textIn(text: string): QuickJSHandle | undefined {
    const { memory } = this.#ports;
    memory.isReached = false;
    const handle = this.#context.newString(text);
    if (!memory.isReached) return handle;
    this.#endOutOfMemory();
    return undefined;
  }

  /** What does not even begin: a mistake in its syntax. */
  #problemOf(error: QuickJSHandle): string {
    const field = (name: string): string =>
      this.#context
        .getProp(error, name)
        .consume((handle) => this.#textOf(handle, this.#start.limits.maxProblemChars, 'An error has') ?? '');
    const [, line] = /script\.js:(\d+)/.exec(field('stack')) ?? [];
    return `${field('name')}: ${field('message')}${line === undefined ? '' : ` (line ${line})`}`;
  }
}

/** Text comes as JSON, because the engine would cut it at a null character. */
function unwrapped(json: string | undefined): string | undefined {
  if (json === undefined) return undefined;
  try {
    return String(JSON.parse(json));
  } catch {
    return undefined;
  }
}
