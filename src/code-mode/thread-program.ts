/** The program of the thread of one script, generated from worker/: do not edit, run `npm run generate`. */
export const threadProgram = `// src/code-mode/worker/main.ts
var import_node_worker_threads = require("node:worker_threads");

// src/code-mode/worker/memory-cap.ts
var pageBytes = 65536;
function capMemory(maxBytes) {
  const cap = { isReached: false };
  const memory2 = WebAssembly.Memory.prototype;
  const { grow } = memory2;
  memory2.grow = function(pages) {
    if (this.buffer.byteLength + pages * pageBytes <= maxBytes) return grow.call(this, pages);
    cap.isReached = true;
    throw new RangeError("no more memory");
  };
  return cap;
}

// src/code-mode/worker/prelude.ts
var prelude = \`((names, call, log, returned, thrown, now, seed, maxOutput, maxProblem) => {
  'use strict';
  const { parse, stringify } = JSON;
  const { create, defineProperty, freeze } = Object;
  const { construct } = Reflect;
  const text = String;
  const RealDate = Date;
  const RealError = Error;
  const { imul } = Math;

  class ToolError extends RealError {}
  defineProperty(ToolError.prototype, 'name', { value: 'ToolError' });
  freeze(ToolError.prototype);
  freeze(ToolError);

  const tools = create(null);
  for (const name of parse(names)) {
    tools[name] = freeze(async (args = {}) => {
      const json = stringify(args);
      if (json === undefined || json[0] !== '{') throw new ToolError('The arguments of ' + name + ' must be an object.');
      let answer;
      try {
        answer = await call(name, json);
      } catch (problem) {
        throw new ToolError(parse(problem));
      }
      return parse(answer);
    });
  }

  const shown = (value) => {
    try {
      return typeof value === 'string' ? value : (stringify(value) ?? text(value));
    } catch {
      return '(a value that cannot be shown)';
    }
  };
  const write = (...values) => {
    let line = '';
    for (let n = 0; n < values.length; n++) line += (n === 0 ? '' : ' ') + shown(values[n]);
    log(stringify(line.length > maxOutput ? line.slice(0, maxOutput) : line));
  };
  const console = {};
  for (const name of ['log', 'info', 'warn', 'error', 'debug']) console[name] = write;

  function FixedDate(...given) {
    if (new.target === undefined) return new RealDate(now).toString();
    return construct(RealDate, given.length === 0 ? [now] : given, new.target);
  }
  FixedDate.prototype = RealDate.prototype;
  defineProperty(RealDate.prototype, 'constructor', { value: FixedDate });
  FixedDate.now = () => now;
  FixedDate.parse = RealDate.parse;
  FixedDate.UTC = RealDate.UTC;

  let state = seed;
  Math.random = () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296;
  };

  for (const [name, value] of [['tools', freeze(tools)], ['ToolError', ToolError], ['console', freeze(console)], ['Date', FixedDate]])
    defineProperty(globalThis, name, { value, writable: false, configurable: false });

  const described = (error) => {
    try {
      if (error === null || typeof error !== 'object') return shown(error);
      const line = /script\\\\.js:(\\\\d+)/.exec(error.stack ?? '');
      return error.name + ': ' + error.message + (line === null ? '' : ' (line ' + line[1] + ')');
    } catch {
      return 'an error that cannot be shown';
    }
  };
  return async (main) => {
    try {
      const json = stringify(await main()) ?? 'null';
      returned(json.length > maxOutput ? json.slice(0, maxOutput) : json, json.length);
    } catch (error) {
      const problem = described(error);
      thrown(stringify(problem.length > maxProblem ? problem.slice(0, maxProblem) : problem));
    }
  };
})\`;

// src/code-mode/worker/sandbox.ts
var maxStackBytes = 256 * 1024;
var jobsAtOnce = 100;
var maxNameChars = 200;
var charsInJson = (chars) => 6 * chars + 2;
var Sandbox = class {
  #ports;
  #start;
  #runtime;
  #context;
  /** The promises that a script has got for its calls. */
  #waiting = /* @__PURE__ */ new Map();
  #calls = 0;
  #received = 0;
  #usedMs = 0;
  #since = performance.now();
  #isEnded = false;
  constructor(start2, ports) {
    this.#ports = ports;
    this.#start = start2;
    this.#runtime = ports.engine.newRuntime();
    this.#runtime.setMemoryLimit(ports.maxMemoryBytes);
    this.#runtime.setMaxStackSize(maxStackBytes);
    this.#runtime.setInterruptHandler(() => {
      this.#lookAtTime();
      return this.#isEnded;
    });
    this.#context = this.#runtime.newContext();
  }
  run() {
    this.#compute(() => {
      const context = this.#context;
      const { script } = this.#start;
      const begin = context.unwrapResult(context.evalCode(prelude, "prelude.js", { type: "global" }));
      const run = context.unwrapResult(context.callFunction(begin, context.undefined, ...this.#given()));
      const main = context.evalCode(\`(async () => {\${script}
})\`, "script.js", { type: "global" });
      if (main.error === void 0) context.callFunction(run, context.undefined, main.value).dispose();
      else {
        const text = this.#problemOf(main.error);
        main.error.dispose();
        if (!this.#isEnded) this.#ports.send({ type: "thrown", text });
      }
    });
  }
  /** Continues the script with the result of a call, as JSON. */
  settle(call, isError, json) {
    this.#received++;
    const promise = this.#waiting.get(call);
    this.#waiting.delete(call);
    this.#compute(() => {
      if (promise === void 0) return;
      const value = this.#textIn(json);
      if (value === void 0) return;
      if (isError) promise.reject(value);
      else promise.resolve(value);
      value.dispose();
      promise.dispose();
    });
  }
  /** What the prelude gets, in its order. */
  #given() {
    const { names, now, seed, limits } = this.#start;
    const context = this.#context;
    const numbers = [now, seed, limits.maxOutputChars, limits.maxProblemChars].map((one) => context.newNumber(one));
    return [context.newString(JSON.stringify(names)), ...this.#functions(), ...numbers];
  }
  #functions() {
    const context = this.#context;
    const { maxOutputChars, maxProblemChars } = this.#start.limits;
    const { send: send2 } = this.#ports;
    const call = context.newFunction("call", (name, args) => this.#call(name, args));
    const log = context.newFunction("log", (handle) => {
      const text = unwrapped(this.#textOf(handle, charsInJson(maxOutputChars), "A line of the log has"));
      if (text !== void 0) send2({ type: "log", text });
    });
    const returned = context.newFunction("returned", (handle, chars) => {
      const json = this.#textOf(handle, maxOutputChars, "What is returned has");
      if (json !== void 0) send2({ type: "returned", json, chars: context.getNumber(chars) });
    });
    const thrown = context.newFunction("thrown", (handle) => {
      const text = unwrapped(this.#textOf(handle, charsInJson(maxProblemChars), "An error has"));
      if (text?.startsWith("InternalError: out of memory")) this.#endOutOfMemory();
      else if (text !== void 0) send2({ type: "thrown", text });
    });
    return [call, log, returned, thrown];
  }
  #call(nameHandle, argsHandle) {
    const { maxCalls, maxArgumentChars } = this.#start.limits;
    const call = ++this.#calls;
    if (call > maxCalls) this.#end("script-limit-exceeded", \`It makes more than \${maxCalls} calls (limits.maxCalls).\`);
    const name = this.#textOf(nameHandle, maxNameChars, "The name of a tool has");
    const args = this.#textOf(argsHandle, maxArgumentChars, \`The arguments of \${name} have\`);
    if (name === void 0 || args === void 0) return void 0;
    const promise = this.#context.newPromise();
    this.#waiting.set(call, promise);
    this.#ports.send({ type: "call", call, name, args });
    return promise.handle;
  }
  /** Lets the script compute until nothing is left to do. */
  #compute(work) {
    if (this.#isEnded) return;
    const { memory: memory2, send: send2 } = this.#ports;
    this.#since = performance.now();
    try {
      work();
      while (!this.#isEnded && this.#runtime.hasPendingJob()) {
        this.#runtime.executePendingJobs(jobsAtOnce).dispose();
        this.#lookAtTime();
      }
    } catch (error) {
      if (memory2.isReached) this.#endOutOfMemory();
      else this.#end("script-failed", \`The engine failed: \${String(error).slice(0, 200)}\`);
    }
    this.#usedMs += performance.now() - this.#since;
    if (!this.#isEnded) send2({ type: "idle", received: this.#received, isOutOfMemory: memory2.isReached });
  }
  #lookAtTime() {
    const { timeMs } = this.#start.limits;
    if (this.#usedMs + performance.now() - this.#since > timeMs)
      this.#end("script-timeout", \`It computed for more than \${timeMs} ms (limits.timeMs).\`);
  }
  #end(code, text) {
    if (this.#isEnded) return;
    this.#isEnded = true;
    this.#ports.send({ type: "ended", code, text });
  }
  #endOutOfMemory() {
    this.#end(
      "script-out-of-memory",
      \`It needs more than \${this.#ports.maxMemoryBytes} bytes (limits.maxMemoryBytes).\`
    );
  }
  /** The text of a script, unless it is longer than what may be copied out of the engine. */
  #textOf(handle, maxChars, what) {
    const context = this.#context;
    if (this.#isEnded || context.typeof(handle) !== "string") return void 0;
    const chars = context.getProp(handle, "length").consume((length) => context.getNumber(length));
    if (chars <= maxChars) return context.getString(handle);
    this.#end("script-limit-exceeded", \`\${what} \${chars} characters, over the limit of \${maxChars}.\`);
    return void 0;
  }
  /** A text that the engine has no memory for would be written over what it has. */
  #textIn(text) {
    const { memory: memory2 } = this.#ports;
    memory2.isReached = false;
    const handle = this.#context.newString(text);
    if (!memory2.isReached) return handle;
    this.#endOutOfMemory();
    return void 0;
  }
  /** What does not even begin: a mistake in its syntax. */
  #problemOf(error) {
    const field = (name) => this.#context.getProp(error, name).consume((handle) => this.#textOf(handle, this.#start.limits.maxProblemChars, "An error has") ?? "");
    const [, line] = /script\\.js:(\\d+)/.exec(field("stack")) ?? [];
    return \`\${field("name")}: \${field("message")}\${line === void 0 ? "" : \` (line \${line})\`}\`;
  }
};
function unwrapped(json) {
  if (json === void 0) return void 0;
  try {
    return String(JSON.parse(json));
  } catch {
    return void 0;
  }
}

// src/code-mode/worker/main.ts
var { engine, maxMemoryBytes } = import_node_worker_threads.workerData;
var send = (message) => import_node_worker_threads.parentPort?.postMessage(message, []);
var memory = capMemory(maxMemoryBytes);
var sandbox;
async function start() {
  const { newQuickJSWASMModule } = require(engine);
  const loaded = await newQuickJSWASMModule();
  import_node_worker_threads.parentPort?.on("message", (message) => {
    if (message.type === "start") {
      sandbox = new Sandbox(message, { engine: loaded, memory, maxMemoryBytes, send });
      sandbox.run();
    } else sandbox?.settle(message.call, message.type === "failed", message.json);
  });
  send({ type: "ready" });
}
start().catch((error) => send({ type: "ended", code: "script-failed", text: String(error) }));
`;
