/** Checks the options of a call, with the place and a hint. */
import { TenonError } from '../../jsonrpc/errors.ts';
import { metaProblem } from '../../protocol/meta-keys.ts';
import { isRecord } from '../../protocol/model/primitives.ts';
import type { Fields } from '../../protocol/neutral.ts';
import { called, flag, type Rule, type Rules, refused, unheardOf } from '../../protocol/option-rules.ts';
import type { CallOptions } from '../api/client.ts';

const time: Rule = {
  holds: (value) => typeof value === 'number' && value > 0,
  mend: 'Use a number of milliseconds over 0, or leave it out.',
};

const rules: Rules & Record<keyof CallOptions, Rule> = {
  timeoutMs: time,
  totalMs: time,
  signal: {
    holds: (value) => isRecord(value) && typeof value.addEventListener === 'function',
    mend: 'Pass the signal of an AbortController, not the controller itself.',
  },
  sent: called,
  safe: flag,
  idempotencyKey: {
    holds: (value) => typeof value === 'string' && /^.{1,200}$/s.test(value),
    mend: 'Use a text of 1 to 200 characters, a new random one for each thing that is to be done once, such as crypto.randomUUID().',
  },
  fresh: flag,
  onProgress: called,
  meta: { holds: isRecord, mend: "Write meta: { 'com.example/key': … }." },
};

/** Throws before anything is sent. A call without options costs next to nothing here. */
export function checkCall(method: string, params: Fields | undefined, options: CallOptions | undefined): void {
  if (options !== undefined) checkOptions(method, options);
  if (params?._meta !== undefined) checkMeta(params._meta);
}

/** Checks what is there, by name: a list of all names would be made for every call. */
function checkOptions(method: string, options: Readonly<Fields> | CallOptions): void {
  if (!isRecord(options)) throw refused(method, 'options', 'Write them as { timeoutMs: … }, or leave them out.');
  for (const name in options) {
    const value = options[name];
    if (value === undefined) continue;
    const rule = Object.hasOwn(rules, name) ? rules[name] : undefined;
    if (rule === undefined) throw unheardOf(method, name, Object.keys(rules));
    if (!rule.holds(value)) throw refused(method, name, rule.mend);
  }
  if (options.meta !== undefined) checkMeta(options.meta);
}

function checkMeta(meta: unknown): void {
  const problem = metaProblem(meta);
  if (problem !== undefined) throw new TenonError('invalid-outgoing', `_meta${problem}`);
}
