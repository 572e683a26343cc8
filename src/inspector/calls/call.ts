/** What a call of the API is: the fields of its request, and what it does. */

import { type Problem, problemsIn, type Rules } from '../../lib/options/option-rules.ts';
import { isRecord } from '../../lib/values/is.ts';
import type { ApiCallName, ApiCalls, Overview } from '../api.ts';
import { InspectorError } from '../api-error.ts';
import type { InspectorApprovals } from '../approvals.ts';
import type { AppSet } from '../apps/app-set.ts';
import type { ClientSet } from '../clients/client-set.ts';
import type { Questions } from '../clients/questions.ts';
import type { Runs } from '../clients/runs.ts';
import type { TargetSources } from '../clients/targets.ts';
import type { EventLog } from '../event-log.ts';
import type { Numbers } from '../recordings/numbers.ts';
import type { RecordingSet } from '../recordings/recording-set.ts';

/** The parts of the inspector that calls use. */
export interface InspectorParts {
  /** What an overview says besides the parts. */
  readonly start: Pick<Overview, 'version' | 'process' | 'first' | 'suggestion' | 'tour' | 'approver' | 'offeredOnly'>;
  readonly clients: ClientSet;
  readonly runs: Runs;
  readonly questions: Questions;
  readonly recordings: RecordingSet;
  readonly numbers: Numbers;
  readonly log: EventLog;
  readonly sources: TargetSources;
  readonly apps: AppSet | undefined;
  readonly approvals: InspectorApprovals | undefined;
  /** Validates by a JSON Schema. Absent where the form of the page has to do. */
  readonly problemsOf: ((schema: object, value: unknown) => Promise<SchemaProblems>) | undefined;
}

type SchemaProblems = ApiCalls['validate']['result']['problems'];

/** The tab that calls, and the origin of its page. */
export interface Caller {
  readonly tab: string;
  readonly origin: string;
}

export interface CallSpec<Name extends ApiCallName> {
  /** The rules of the fields, those that must be there first. */
  readonly required: Rules;
  readonly optional?: Rules;
  /** The largest body, if not the usual one. */
  readonly maxBytes?: number;
  run(
    request: ApiCalls[Name]['request'],
    parts: InspectorParts,
    caller: Caller,
  ): ApiCalls[Name]['result'] | Promise<ApiCalls[Name]['result']>;
}

export type CallTable<Name extends ApiCallName = ApiCallName> = { readonly [N in Name]: CallSpec<N> };

/** Throws `invalid-request` with the first problem. */
export function checkRequest(
  body: unknown,
  { required, optional }: Pick<CallSpec<ApiCallName>, 'required' | 'optional'>,
): void {
  if (!isRecord(body)) throw new InspectorError('invalid-request', 'The body is not a JSON object.');
  const missing = Object.entries(required).find(([name]) => body[name] === undefined);
  if (missing !== undefined)
    throw invalid({ place: missing[0], text: `"${missing[0]}" must ${missing[1].must}.`, hint: '' });
  const [problem] = problemsIn('', body, { ...required, ...optional });
  if (problem !== undefined) throw invalid(problem);
}

const invalid = ({ text, hint }: Problem): InspectorError =>
  new InspectorError('invalid-request', text, hint === '' ? undefined : hint);
