/** What runs in the engine before a script: its tools, its console, and a clock and random numbers that can be repeated. */

/**
 * An expression: a function that gets the functions of the host, and returns the one that runs a script. It shares its
 * realm with the script, so it takes what it needs before the script can change it. What is in it is no boundary.
 */
export const prelude = `((names, call, log, returned, thrown, now, seed, maxOutput, maxProblem) => {
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
      const line = /script\\.js:(\\d+)/.exec(error.stack ?? '');
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
})`;
