/** Checks the options of a call, with the place and a hint. */
import { TenonError } from '../../lib/errors/tenon-error.ts';
import { callback, count, flag, type Rule, type Rules, unknown, wrong } from '../../lib/options/option-rules.ts';
import type { Fields } from '../../lib/values/is.ts';
import { isRecord } from '../../lib/values/is.ts';
import { metaProblem } from '../../protocol/meta-keys.ts';
import type { ClientHandlers } from '../answers/handlers.ts';
import type { CallOptions, ToolCallOptions } from '../api/client.ts';
import { logLevel } from '../api/connect-rules.ts';

const time: Rule = {
  holds: (value) => typeof value === 'number' && value > 0,
  must: 'be a number of milliseconds over 0',
};

const rules: Rules & Record<keyof CallOptions, Rule> = {
  timeoutMs: time,
  maxTotalTimeoutMs: time,
  signal: {
    holds: (value) => isRecord(value) && typeof value.addEventListener === 'function',
    must: 'be the signal of an AbortController, not the controller itself',
  },
  retryable: flag,
  idempotencyKey: {
    holds: (value) => typeof value === 'string' && /^.{1,200}$/s.test(value),
    must: 'be a string of 1 to 200 characters: a new random one for each action, such as crypto.randomUUID()',
  },
  cache: { holds: (value) => value === 'reload', must: "be 'reload'" },
  onProgress: callback,
  onLog: callback,
  logLevel,
  meta: { holds: isRecord, must: "be an object such as { 'com.example/key': … }" },
  answers: {
    holds: isRecord,
    must: 'be handlers for server requests, as the option "handlers" of connect',
  },
};

const isTtl = (value: unknown): boolean => value === undefined || count.holds(value);

/** A call of a tool may become a task. */
const toolRules: Rules & Record<keyof ToolCallOptions, Rule> = {
  ...rules,
  task: {
    holds: (value) =>
      typeof value === 'boolean' ||
      (isRecord(value) && Object.keys(value).every((key) => key === 'ttlMs') && isTtl(value.ttlMs)),
    must: 'be true, false, or an object such as { ttlMs: 3_600_000 }',
  },
  onTask: callback,
  onTaskStatus: callback,
};

/** Throws before anything is sent. */
export function checkCall(method: string, params: Fields | undefined, options: ToolCallOptions | undefined): void {
  if (options !== undefined) checkOptions(method, options);
  if (params?._meta !== undefined) checkMeta(params._meta);
}

/** Checks the options that are set, by name: building a list of names would cost time in every call. */
function checkOptions(method: string, options: Readonly<Fields> | CallOptions): void {
  if (!isRecord(options)) throw wrong(method, 'options', 'be an object');
  const allowed: Rules = method === 'tools/call' ? toolRules : rules;
  for (const name in options) {
    const value = options[name];
    if (value === undefined) continue;
    const rule = Object.hasOwn(allowed, name) ? allowed[name] : undefined;
    if (rule === undefined) throw unknown(method, name, Object.keys(allowed));
    if (!rule.holds(value)) throw wrong(method, name, rule.must);
  }
  if (options.meta !== undefined) checkMeta(options.meta);
}

/** Throws for handlers that the client did not declare: a server would never send their requests. */
export function checkDeclared(method: string, answers: ClientHandlers, declared: ClientHandlers): void {
  for (const name of ['elicitForm', 'elicitUrl', 'sample', 'roots'] as const)
    if (answers[name] !== undefined && declared[name] === undefined)
      throw wrong(
        method,
        `answers.${name}`,
        `replace a handler of the client: pass ${name} in "handlers" of connect too, so that it is declared`,
      );
}

/** Throws before anything is sent. */
export function checkRound(method: string, round: unknown): void {
  if (round === undefined) return;
  const isRound = isRecord(round) && isRecord(round.answers);
  if (!isRound || (round.state !== undefined && typeof round.state !== 'string'))
    throw wrong(method, 'round', 'be { answers, state }: an answer for each key of inputRequests, and their state');
}

function checkMeta(meta: unknown): void {
  const problem = metaProblem(meta);
  if (problem !== undefined) throw new TenonError('invalid-outgoing-message', `_meta${problem}`);
}
