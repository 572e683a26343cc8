/** Rejects wrong arguments of context methods, which would otherwise be dropped without a trace. */
import { TenonError } from '../../lib/errors/tenon-error.ts';
import { callback, checkOptions, flag, positive, type Rule, type Rules } from '../../lib/options/option-rules.ts';
import { nearestName } from '../../lib/text/nearest-name.ts';
import { isRecord } from '../../lib/values/is.ts';
import type { LoggingLevel } from '../../protocol/generated/types/records.ts';
import type { ServerRequestOptions, ServerRequestTaskOptions } from '../definition/server-requests.ts';
import { typeNameOf } from './definition-error.ts';

/** The least severe first. */
export const levels: readonly LoggingLevel[] = [
  'debug',
  'info',
  'notice',
  'warning',
  'error',
  'critical',
  'alert',
  'emergency',
];

/** Throws `invalid-argument` for a level that does not exist. */
export function checkLevel(level: unknown, of = 'ctx.log()'): asserts level is LoggingLevel {
  if (levels.includes(level as LoggingLevel)) return;
  const meant = typeof level === 'string' ? nearestName(level, levels) : undefined;
  const shown = typeof level === 'string' ? JSON.stringify(level) : typeNameOf(level);
  throw new TenonError('invalid-argument', `${of}: ${shown} is not a level.`, {
    hint: `The level must be one of ${levels.join(', ')}${meant === undefined ? '.' : `; did you mean ${meant}?`}`,
    details: { place: 'level' },
  });
}

/** Throws `invalid-argument` for progress that is not a number, a total that is not, or a message that is not a string. */
export function checkProgress(progress: unknown, total: unknown, message: unknown): void {
  if (typeof progress !== 'number') throw wrongProgress('progress', progress, 'a number');
  if (total !== undefined && typeof total !== 'number') throw wrongProgress('total', total, 'a number, or left out');
  if (message !== undefined && typeof message !== 'string')
    throw wrongProgress('message', message, 'a string, or left out');
}

const wrongProgress = (place: string, value: unknown, must: string): TenonError =>
  new TenonError('invalid-argument', `ctx.reportProgress(): ${place} is ${typeNameOf(value)}.`, {
    hint: `${place} must be ${must}, as in ctx.reportProgress(1, 10, 'Reading').`,
    details: { place },
  });

const taskRules: Rules & Record<keyof ServerRequestTaskOptions, Rule> = { ttlMs: positive };

const requestRules: Rules & Record<keyof ServerRequestOptions, Rule> = {
  onProgress: callback,
  task: {
    holds: (value) => flag.holds(value) || isRecord(value),
    must: 'be true, false, or an object with ttlMs',
    fields: taskRules,
  },
};

export const noOptions: ServerRequestOptions = {};

/** Throws `invalid-argument`. */
export function checkRequestOptions(options: ServerRequestOptions): void {
  if (options !== noOptions) checkOptions('the options of a request', options, requestRules);
}
