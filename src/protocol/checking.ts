/** Validates values by the checkers of a revision, incoming and outgoing. The explanation of a failure is made on demand. */

import { shown } from '../lib/text/shown.ts';
import type { Fields } from '../lib/values/is.ts';
import { errorDetails } from './error-data.ts';
import type { RpcErrorReason } from './errors.ts';
import type { Check } from './model/primitives.ts';
import type { Explanation, Reading, Refusal, Side } from './neutral.ts';
import type { Fix, ParamsCheck, Revision } from './revision.ts';
import { samplingMethod } from './sampling.ts';

export const accepted = <T>(value: T): Reading<T> => ({ ok: true, value });

export const refused = (
  reason: RpcErrorReason,
  message: string,
  explain?: () => Promise<Explanation>,
): { ok: false; refusal: Refusal } => ({
  ok: false,
  refusal: { reason, message, explain: explain ?? (() => Promise.resolve({ text: message })) },
});

/** A method that the revision, or this side of it, does not have. */
function unknownMethod(method: string): { ok: false; refusal: Refusal } {
  const name = shown(method);
  const message = `Method not found: ${name}`;
  const data = { method: name };
  const reason = method === samplingMethod ? 'sampling-not-supported' : 'method-not-found';
  return { ok: false, refusal: { reason, message, data, explain: () => Promise.resolve({ text: message, data }) } };
}

const nothing: Fields = Object.freeze({});

/** Params of a message that arrived. Absent ones read as an empty object where the method allows that. */
export function readParams(
  revision: Revision,
  from: Side,
  table: 'requests' | 'notifications',
  method: string,
  params: unknown,
): Reading<Fields> {
  const entry = revision[from][table].get(method);
  if (entry === undefined) return unknownMethod(method);
  if (params === undefined && entry.optional) return accepted(nothing);
  if (entry.params(params)) return accepted(params as Fields);
  const fixed = tryFix(revision.fixes.params.get(method), params, entry.params);
  return fixed === undefined ? wrongParams(revision, from, table, method, params) : accepted(fixed);
}

/** Params of a message that is about to be sent, fitted to the revision. */
export function writeParams(
  revision: Revision,
  from: Side,
  table: 'requests' | 'notifications',
  method: string,
  params: Fields | undefined,
): Reading<Fields | undefined> {
  const entry: ParamsCheck | undefined = revision[from][table].get(method);
  if (entry === undefined) return refused('method-not-found', `${method} does not exist in this protocol version`);
  if (params === undefined && entry.optional) return accepted(undefined);
  const fitted = params && (revision.fitting.params.get(method)?.(params) ?? params);
  return entry.params(fitted) ? accepted(fitted) : wrongParams(revision, from, table, method, fitted);
}

/** A result that arrived, validated for its method. */
export function readResultShape(revision: Revision, asker: Side, method: string, result: unknown): Reading<Fields> {
  const entry = revision[asker].requests.get(method);
  if (entry === undefined) return refused('method-not-found', `Method not found: ${method}`);
  if (entry.result(result))
    return accepted(revision.fixes.spellings.get(method)?.(result as Fields) ?? (result as Fields));
  const fixed = tryFix(revision.fixes.results.get(method), result, entry.result);
  return fixed === undefined ? wrongResult(revision, asker, method, result) : accepted(fixed);
}

/** A result that is about to be sent. */
export function writeResultShape(revision: Revision, asker: Side, method: string, result: Fields): Reading<Fields> {
  const entry = revision[asker].requests.get(method);
  if (entry === undefined) return refused('method-not-found', `Method not found: ${method}`);
  return entry.result(result) ? accepted(result) : wrongResult(revision, asker, method, result);
}

function tryFix(fix: Fix | undefined, value: unknown, check: Check): Fields | undefined {
  return fix?.(value, check) as Fields | undefined;
}

const wrongParams = (
  revision: Revision,
  from: Side,
  table: 'requests' | 'notifications',
  method: string,
  params: unknown,
): { ok: false; refusal: Refusal } =>
  refused('invalid-params', `Invalid params for ${method}`, async () => {
    const { explainParams } = await import('./explain.ts');
    const { place, reason } = explainParams(revision.id, from, table, method, params);
    const data = errorDetails(place.replace(/^params\.?/, ''), reason);
    return { text: `Invalid params for ${method}: ${place}: ${reason}`, data };
  });

const wrongResult = (
  revision: Revision,
  asker: Side,
  method: string,
  result: unknown,
): { ok: false; refusal: Refusal } =>
  refused('internal-error', `Invalid result of ${method}`, async () => {
    const { explainResult } = await import('./explain.ts');
    const { place, reason } = explainResult(revision.id, asker, method, result);
    return { text: `Invalid result of ${method}: ${place}: ${reason}` };
  });
