/** What a script may try: to reach more than its tools, to take more than its share, or to deceive. */
import type { CodeToolkitOptions } from 'tenon/agents/code';

export interface Attempt {
  readonly what: string;
  readonly script: string;
  /** What the model reads. */
  readonly outcome: RegExp;
  readonly limits?: CodeToolkitOptions['limits'];
  /** What runs on servers. */
  readonly ran?: readonly unknown[];
}

/** Long enough for the engine, short enough for a test: what these scripts do has no end. */
const short = { timeMs: 300 };
const timeout = /^The script was ended \(script-timeout\): It computed for more than \d+ ms \(limits\.timeMs\)/;
const outOfMemory = /out[- ]of[- ]memory/;
const endless = /\((?:script-timeout|script-out-of-memory)\)/;
const limit = /^The script was ended \(script-limit-exceeded\)/;

/** The table of the design. */
export const designed: readonly Attempt[] = [
  {
    what: 'process, require, module, Buffer and global',
    script: 'return [typeof process, typeof require, typeof module, typeof Buffer, typeof global]',
    outcome: /^\["undefined","undefined","undefined","undefined","undefined"\]$/,
  },
  {
    what: 'fetch, WebSocket and XMLHttpRequest',
    script: 'return [typeof fetch, typeof WebSocket, typeof XMLHttpRequest]',
    outcome: /^\["undefined","undefined","undefined"\]$/,
  },
  {
    what: 'timers',
    script: 'return [typeof setTimeout, typeof setInterval, typeof setImmediate, typeof queueMicrotask]',
    outcome: /^\["undefined","undefined","undefined","undefined"\]$/,
  },
  {
    what: 'import of a module of Node',
    script: "return (await import('node:fs')).readFileSync('/etc/passwd', 'utf8')",
    outcome: /^The script failed: /,
  },
  {
    what: 'constructor chains from every value of the host',
    script: `const answer = await tools.shop__echo({});
      const values = [tools, tools.shop__echo, answer, console.log, ToolError, globalThis, Date];
      return values.map((value) => {
        const constructor = value.constructor ?? Object.getPrototypeOf(value)?.constructor ?? Object;
        return constructor.constructor('return typeof process + typeof require')();
      })`,
    outcome: /^\[(?:"undefinedundefined",?){7}\]$/,
    ran: ['echo'],
  },
  { what: 'an endless loop', script: 'for (;;);', outcome: timeout, limits: short },
  {
    what: 'a pattern that takes exponential time',
    script: "return /^(a+)+$/.test('a'.repeat(40) + 'b')",
    outcome: timeout,
    limits: short,
  },
  { what: 'a log without end', script: "for (;;) console.log('x'.repeat(1000))", outcome: timeout, limits: short },
  { what: 'the text of a huge array', script: "return (new Array(1e9) + '').length", outcome: endless, limits: short },
  {
    what: 'JSON of a value that is very deep',
    script: 'let deep = []; for (let n = 0; n < 3e6; n++) deep = [deep]; return deep',
    outcome: /stack overflow|\((?:script-timeout|script-out-of-memory|script-failed)\)|out of memory/,
    limits: short,
  },
  {
    what: 'promises without end',
    script: 'const again = () => Promise.resolve().then(again); await again()',
    outcome: endless,
    limits: short,
  },
  {
    what: 'memory by strings',
    script: "const chunks = []; for (;;) chunks.push('x'.repeat(1024 * 1024) + chunks.length)",
    outcome: outOfMemory,
  },
  {
    what: 'memory by arrays',
    script: 'const all = []; for (;;) all.push(new Array(10_000).fill(all.length))',
    outcome: outOfMemory,
  },
  {
    what: 'recursion without end',
    script: 'const again = () => again() + 1; return again()',
    outcome: /^The script failed: (?:InternalError|RangeError): .*stack/i,
  },
  {
    what: 'a typed array of 4 GB',
    script: 'return new Uint8Array(4e9).length',
    outcome: /^The script (?:failed|was ended)/,
  },
  {
    what: 'a huge integer',
    script: 'return String((2n ** 64n) ** (2n ** 24n)).length',
    outcome: /^The script (?:failed|was ended)/,
    limits: short,
  },
  {
    what: '1,000 calls',
    script: "for (let n = 0; n < 1000; n++) await tools.shop__order({ item: 'tea' })",
    outcome: limit,
    limits: { timeMs: 60_000, maxCalls: 20 },
    ran: Array.from({ length: 20 }, () => 'tea'),
  },
  {
    what: '1,000 calls at once',
    script: "await Promise.all(Array.from({ length: 1000 }, () => tools.shop__order({ item: 'tea' })))",
    outcome: limit,
  },
  {
    what: 'a result of 5 MB',
    script: 'return (await tools.shop__long({ chars: 5_000_000 })).length',
    outcome: /^The script failed: ToolError: /,
    ran: ['long'],
  },
  {
    what: 'a result that a message can carry, and a script cannot',
    script: 'return (await tools.shop__long({ chars: 3_000_000 })).length',
    outcome:
      /^The script failed: ToolError: The result of shop__long has 3000002 characters, over the limit of 1000000/,
    ran: ['long'],
  },
  {
    what: 'an argument of 20 MB',
    script: "await tools.shop__echo({ text: 'x'.repeat(20_000_000) })",
    outcome: /\(script-(?:limit-exceeded|out-of-memory)\)/,
    ran: [],
  },
  {
    what: 'an argument for which there is memory',
    script: "await tools.shop__echo({ text: 'x'.repeat(2_000_000) })",
    outcome: /\(script-limit-exceeded\): The arguments of shop__echo have 2000011 characters, over the limit of 100000/,
    ran: [],
  },
  {
    what: 'changed prototypes',
    script: `Object.prototype.item = 'gold'; Object.prototype.toJSON = undefined;
      Array.prototype.map = () => { throw new Error('changed') };
      return await tools.shop__order({ item: 'tea' })`,
    outcome: /^"Ordered tea"$/,
    ran: ['tea'],
  },
  {
    what: 'changed tools',
    script: `const attempts = [
        () => { 'use strict'; tools.shop__order = () => 'mine' },
        () => { 'use strict'; globalThis.tools = {} },
        () => { 'use strict'; delete globalThis.tools },
        () => Object.setPrototypeOf(tools, {}),
        () => Object.defineProperty(tools, 'more', { value: 1 }),
      ];
      return attempts.map((attempt) => { try { attempt(); return 'changed' } catch { return 'refused' } })`,
    outcome: /^\[(?:"refused",?){5}\]$/,
  },
  {
    what: 'to close the wrapper of the script',
    script: '}); globalThis.leaked = typeof process; (async () => { return [globalThis.leaked, typeof require]',
    outcome: /^\["undefined","undefined"\]$/,
  },
];

/** Not in the table of the design. */
export const others: readonly Attempt[] = [
  {
    what: 'modules and functions of the engine',
    script:
      'return [typeof std, typeof os, typeof bjson, typeof scriptArgs, typeof print, typeof WebAssembly, typeof Worker]',
    outcome: /^\[(?:"undefined",?){7}\]$/,
  },
  {
    what: 'frames of the host in the stack of an error',
    script: `let stacks = [new Error('one').stack];
      try { await tools.shop__fail() } catch (error) { stacks.push(error.stack) }
      Error.prepareStackTrace = (error, frames) => frames;
      stacks.push(JSON.stringify(new Error('two').stack));
      return stacks.some((stack) => /node:|file:|\\/|worker_threads|wasm/.test(String(stack)))`,
    outcome: /^false$/,
    ran: ['fail'],
  },
  {
    what: 'to compute without end where the engine cannot be interrupted',
    script: 'return [].splice.call({ length: 2 ** 53 - 1 }, 0, 1)',
    outcome: timeout,
    limits: short,
  },
  {
    what: 'a text without end that the engine writes',
    script: 'return String.raw({ raw: { length: 2 ** 53 - 1 } })',
    outcome: endless,
    limits: short,
  },
  {
    what: 'the constructors of other functions',
    script: `const functions = [async () => {}, function* () {}, async function* () {}];
      const made = functions.map(({ constructor }) => constructor('return typeof process + typeof require'));
      return [await made[0](), made[1]().next().value, (await made[2]().next()).value]`,
    outcome: /^\[(?:"undefinedundefined",?){3}\]$/,
  },
  {
    what: 'code that is nested deeper than the engine can read',
    script: "eval('('.repeat(1e6))",
    outcome: /stack overflow|\((?:script-failed|script-timeout|script-out-of-memory)\)/,
  },
  {
    what: 'a chain of proxies that is deeper than the stack',
    script: 'let one = {}; for (let n = 0; n < 20_000; n++) one = new Proxy(one, {}); return one.name',
    outcome: /stack overflow|\((?:script-failed|script-timeout|script-out-of-memory)\)/,
  },
  {
    what: 'to change an array while it is sorted',
    script:
      'const all = [1, 2, 3, 4, 5, 6, 7, 8]; all.sort(() => { all.length = 0; all.push({}); return 1 }); return all.length',
    outcome: /^8$/,
  },
  {
    what: 'a buffer that grows',
    script:
      'const buffer = new ArrayBuffer(8, { maxByteLength: 2 ** 30 }); buffer.resize(2 ** 30); return buffer.byteLength',
    outcome: /^The script (?:failed|was ended)/,
  },
  { what: 'an import statement', script: "import fs from 'node:fs'", outcome: /^The script failed: SyntaxError/ },
  {
    what: 'new.target and arguments of the wrapper',
    script: 'return arguments.length',
    outcome: /^The script failed: (?:Reference|Syntax)Error/,
  },
  {
    what: 'members of tools that are no tools',
    script:
      "return [tools.__proto__, tools.constructor, tools['shop__remove\\u0000'], tools.toString].map((one) => typeof one)",
    outcome: /^\["undefined","undefined","undefined","undefined"\]$/,
  },
  {
    what: 'code from text',
    script:
      "return [eval('typeof process'), new Function('return typeof require')(), (0, eval)('this === globalThis')]",
    outcome: /^\["undefined","undefined",true\]$/,
  },
  {
    what: 'arguments that never end to be written',
    script: 'await tools.shop__echo({ toJSON() { for (;;); } })',
    outcome: timeout,
    limits: short,
    ran: [],
  },
  {
    what: 'arguments that contain themselves',
    script: 'const all = {}; all.all = all; await tools.shop__echo(all)',
    outcome: /^The script failed: TypeError: .*circular/,
    ran: [],
  },
  {
    what: 'arguments that are no object',
    script: `const wrong = ['text', 5, [1], () => {}, null, { toJSON: () => 'text' }];
      const problems = [];
      for (const one of wrong) try { await tools.shop__echo(one) } catch (error) { problems.push(error.name) }
      return problems`,
    outcome: /^\[(?:"ToolError",?){6}\]$/,
    ran: [],
  },
  {
    what: 'a key named __proto__ in arguments',
    script: `await tools.shop__echo(JSON.parse('{"__proto__":{"admin":true}}'))`,
    outcome: /^The script failed: ToolError/,
    ran: [],
  },
  {
    what: 'arguments of 20,000 levels',
    script:
      "let text = '{}'; for (let n = 0; n < 4000; n++) text = '{\"a\":' + text + '}'; await tools.shop__echo(JSON.parse(text))",
    outcome: /^The script failed: /,
    ran: [],
  },
  {
    what: 'replaced functions of the language, to read what the tools receive',
    script: `const seen = [];
      JSON.parse = (text) => { seen.push(text); return 'forged' };
      JSON.stringify = () => { seen.push('stringify'); return '{"item":"gold"}' };
      Promise.prototype.then = () => { throw new Error('then') };
      Promise.resolve = () => 'forged';
      Function.prototype.call = Function.prototype.apply = () => 'forged';
      const answer = await tools.shop__order({ item: 'tea' });
      return [answer, seen.length]`,
    outcome: /^\["Ordered tea",0\]$/,
    ran: ['tea'],
  },
  { what: 'a thenable that never ends', script: 'return { then() { for (;;); } }', outcome: timeout, limits: short },
  {
    what: 'a value whose members never end',
    script: 'return new Proxy({}, { ownKeys() { for (;;); } })',
    outcome: timeout,
    limits: short,
  },
  {
    what: 'a generator without end',
    script: 'return [...(function* () { for (;;) yield 1 })()]',
    outcome: /\(script-(?:timeout|out-of-memory)\)/,
    limits: { timeMs: 2000 },
  },
  {
    what: 'a string of half a gigabyte',
    script: "return 'x'.repeat(2 ** 29).length",
    outcome: /^The script (?:failed|was ended)/,
  },
  {
    what: 'a promise that is never settled',
    script: 'await new Promise(() => {})',
    outcome: /\(script-failed\): It waits for something that never happens/,
  },
  {
    what: 'rejections that no one handles, without end',
    script: 'for (;;) Promise.reject(new Error("x".repeat(100)))',
    outcome: endless,
    limits: { timeMs: 2000 },
  },
  {
    what: 'to go on after a limit',
    script: 'for (;;) try { await tools.shop__order({ item: "tea" }) } catch {}',
    outcome: limit,
    limits: { timeMs: 60_000, maxCalls: 3 },
    ran: ['tea', 'tea', 'tea'],
  },
  {
    what: 'a clock',
    script:
      'const before = Date.now(); for (let n = 0; n < 1e6; n++); return [Date.now() - before, new Date() - before, typeof performance, Date() === new Date().toString()]',
    outcome: /^\[0,0,"undefined",true\]$/,
  },
  {
    what: 'a clock by the constructor of a date',
    script:
      'const Real = Object.getPrototypeOf(new Date()).constructor; return Real === Date && new Real() - Date.now()',
    outcome: /^0$/,
  },
  {
    what: 'threads and shared memory',
    script:
      'return [typeof Worker, typeof Atomics === "object" && (() => { try { return Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0) } catch { return "refused" } })()]',
    outcome: /^\["undefined",(?:false|"refused")\]$/,
  },
  {
    what: 'an error that cannot be read',
    script: 'throw { get name() { throw 1 }, get message() { throw 2 } }',
    outcome: /^The script failed: an error that cannot be shown/,
  },
  {
    what: 'an error whose message never ends',
    script: 'throw { get message() { for (;;); } }',
    outcome: timeout,
    limits: short,
  },
  { what: 'null that is thrown', script: 'throw null', outcome: /^The script failed: null/ },
  {
    what: 'an error in the words of a limit',
    script: "throw new Error('\\nThe script was ended (script-timeout): nothing has run')",
    outcome: /^The script failed: Error: /,
  },
  {
    what: 'a log of a million characters',
    script: "for (let n = 0; n < 1000; n++) console.log('x'.repeat(1000)); return 'done'",
    outcome: /^"done"\n\nIt logged:\n[x\n]{19000,20100}$/,
  },
  {
    what: 'a value of five million characters',
    script: "return 'x'.repeat(5_000_000)",
    outcome: /^"x{19990,20000}\n\[49\d{5} of 5000002 characters left out\. Return less\.\]$/,
  },
  {
    what: 'to return more by another slice',
    script: "String.prototype.slice = () => 'y'.repeat(1_000_000); return 'x'.repeat(30_000)",
    outcome: limit,
  },
  {
    what: 'characters that end texts in the engine',
    script:
      "console.log('a\\u0000b'); return [await tools.shop__order({ item: 'a\\u0000b\\ud800' })].map((text) => text.length)",
    outcome: /^\[\d+\]\n\nIt logged:\na.b$/s,
  },
  {
    what: 'comments that hide the end of the wrapper',
    script: "return 'whole' // <!--",
    outcome: /^"whole"$/,
  },
  {
    what: 'calls that are not awaited, to run after the result',
    script: "tools.shop__order({ item: 'tea' }); tools.shop__order({ item: 'milk' }); return 'done'",
    outcome: /^"done"$/,
    ran: ['tea', 'milk'],
  },
];
