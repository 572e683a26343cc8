/** The subjects of the comparison: params of every request and notification, and every result, of one revision. */

import { isRecord } from '../../../src/lib/values/is.ts';
import { InputRequest, InputResponse } from '../../../src/protocol/generated/checks.ts';
import { isInputRequiredResult } from '../../../src/protocol/generated/result-kinds.ts';
import type { Side } from '../../../src/protocol/neutral.ts';
import type { ParamsCheck, Revision } from '../../../src/protocol/revision.ts';
import { differences } from './differences.ts';
import { createOfficialSide, type OfficialSide } from './official-side.ts';
import type { Reference, Subject } from './reference.ts';
import type { JsonSchema } from './specification.ts';

const sides = [
  ['client', 'ClientRequest', 'ClientNotification'],
  ['server', 'ServerRequest', 'ServerNotification'],
] as const;

/** The official schema of a revision. */
export function officialReference(revision: Revision): Reference {
  const official = createOfficialSide(revision.id);
  const { definitions, resolve } = official;
  return { revision: revision.id, subjects: subjectsOf(revision, official), definitions, resolve, differences };
}

function subjectsOf(revision: Revision, official: OfficialSide): Subject[] {
  const messages = sides.flatMap(([side, requests, notifications]) => [
    ...[...official.messages(requests)].flatMap(([method, { name, schema }]) => [
      paramsSubject(
        `${side} ${method} params`,
        official,
        'JSONRPCRequest',
        schema,
        revision[side].requests.get(method),
      ),
      ...resultSubjects(revision, official, side, method, name.replace(/Request$/, '')),
    ]),
    ...[...official.messages(notifications)].map(([method, { schema }]) =>
      paramsSubject(
        `${side} ${method} params`,
        official,
        'JSONRPCNotification',
        schema,
        revision[side].notifications.get(method),
      ),
    ),
  ]);
  return [...messages, ...roundSubjects(official)];
}

/** Input requests and input responses, in revisions that carry them in results and params. */
function roundSubjects(official: OfficialSide): Subject[] {
  if (official.definitions.InputRequest === undefined) return [];
  const subject = (name: string, definition: string, ours: Subject['ours']): Subject => ({
    name,
    schema: official.reference(definition),
    ours,
    official: official.validator(official.reference(definition)),
  });
  return [
    subject('inputRequests/request', 'InputRequest', InputRequest),
    subject('inputResponses/response', 'InputResponse', InputResponse),
  ];
}

/** A message is valid if it matches its own definition and that of its envelope. */
function paramsSubject(
  name: string,
  official: OfficialSide,
  envelope: 'JSONRPCRequest' | 'JSONRPCNotification',
  schema: JsonSchema,
  entry: ParamsCheck | undefined,
): Subject {
  const isValid = official.validator({ allOf: [schema, official.reference(envelope)] });
  const outer = official.resolve(official.reference(envelope)).properties?.params ?? {};
  const method = schema.properties?.method?.const;
  const wrapped = { jsonrpc: '2.0', ...(envelope === 'JSONRPCRequest' && { id: 1 }), method };
  return {
    name,
    schema: { allOf: [schema.properties?.params ?? {}, outer] },
    ours: (params) => (params === undefined ? entry?.optional === true : entry?.params(params) === true),
    official: (params) => isValid(params === undefined ? wrapped : { ...wrapped, params }),
  };
}

/** A result by its own definition; for methods that may need input, also the input-required result and the union of the two. */
function resultSubjects(
  revision: Revision,
  official: OfficialSide,
  side: Side,
  method: string,
  name: string,
): Subject[] {
  const check = revision[side].requests.get(method)?.result;
  const isOurs = (result: unknown): boolean => check?.(result) === true;
  const subject = (part: string, schema: JsonSchema, ours: Subject['ours']): Subject => ({
    name: `${side} ${method} ${part}`,
    schema,
    ours,
    official: official.validator(schema),
  });
  const result = subject('result', resultSchema(official, name), isOurs);
  const union = official.definitions[`${name}ResultResponse`]?.properties?.result;
  if (union?.anyOf === undefined) return [result];
  return [
    result,
    subject('input-required result', official.reference('InputRequiredResult'), isInputRequiredResult),
    subject('outcome', union, (value) => (isInputRequired(value) ? isInputRequiredResult(value) : isOurs(value))),
  ];
}

const isInputRequired = (value: unknown): boolean => isRecord(value) && value.resultType === 'input_required';

/** Requests that may return a task, in the revision with tasks in its core. */
const taskAugmented: ReadonlySet<string> = new Set(['CallTool', 'CreateMessage', 'Elicit']);

function resultSchema({ definitions, reference }: OfficialSide, name: string): JsonSchema {
  const own = reference(definitions[`${name}Result`] === undefined ? 'EmptyResult' : `${name}Result`);
  return definitions.CreateTaskResult !== undefined && taskAugmented.has(name)
    ? { anyOf: [own, reference('CreateTaskResult')] }
    : own;
}
