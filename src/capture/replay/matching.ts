/** Whether a request matches a recorded one. Secrets, ids and client information are ignored. */
import { canonicalJson } from '../../lib/text/canonical-json.ts';
import type { Fields } from '../../lib/values/is.ts';
import { isRecord } from '../../lib/values/is.ts';
import { matchesText } from '../redaction/placeholders.ts';
import type { RecordedExchange } from './recorded-exchanges.ts';

/** Requests whose params are about the client: any of them is the recorded one. */
const aboutTheClient: ReadonlySet<string> = new Set(['initialize', 'server/discover', 'ping', 'logging/setLevel']);

export function isRecorded({ method, params }: RecordedExchange, request: Fields): boolean {
  if (method !== request.method) return false;
  if (aboutTheClient.has(method)) return true;
  return matches(comparable(params), comparable(isRecord(request.params) ? request.params : {}));
}

/** The same for all rounds of a call. */
export const callKey = ({ method, params }: RecordedExchange): string =>
  `${method} ${canonicalJson(withoutRound(params))}`;

/** Whether params have answers to what the server asked. */
export const isLaterRound = ({ inputResponses, requestState }: Fields): boolean =>
  inputResponses !== undefined || requestState !== undefined;

const withoutRound = ({ _meta, inputResponses: _answers, requestState: _state, ...params }: Fields): Fields => params;

/** The answers of users may have been removed, so only their presence is compared. */
function comparable({ _meta, inputResponses, task: _task, ...params }: Fields): Fields {
  return isRecord(inputResponses) ? { ...params, inputResponses: Object.keys(inputResponses).sort() } : params;
}

function matches(recorded: unknown, actual: unknown): boolean {
  if (typeof recorded === 'string') return typeof actual === 'string' && matchesText(recorded, actual);
  if (Array.isArray(recorded))
    return (
      Array.isArray(actual) &&
      recorded.length === actual.length &&
      recorded.every((one, index) => matches(one, actual[index]))
    );
  if (!isRecord(recorded) || !isRecord(actual)) return canonicalJson(recorded) === canonicalJson(actual);
  const names = new Set([...Object.keys(recorded), ...Object.keys(actual)]);
  return [...names].every((name) => matches(recorded[name], actual[name]));
}
