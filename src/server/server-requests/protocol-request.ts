/** Turns a handler's request into a request of the protocol, and validates its answer. Answers are untrusted input. */

import { TenonError } from '../../lib/errors/tenon-error.ts';
import { isUrl } from '../../lib/text/parse-url.ts';
import { type Fields, isRecord } from '../../lib/values/is.ts';
import { formProblem, withFormDefaults } from '../../protocol/form.ts';
import { isElicited, isInputRequiredResult, isRoots, isSampled } from '../../protocol/generated/result-kinds.ts';
import type { RequestedSchema } from '../../protocol/generated/types/records.ts';
import type { InputRequest } from '../../protocol/neutral.ts';
import { samplingProblem } from '../../protocol/sampling.ts';
import { issuesText } from '../../schema/issues.ts';
import { readSchema, type SchemaReading } from '../../schema/reading.ts';
import type { ClientFeature } from '../definition/context.ts';
import type {
  FormElicitation,
  PlainFormElicitation,
  SampleRequest,
  ServerRequest,
} from '../definition/server-requests.ts';
import { fromProtocolForm, ProtocolForm } from './protocol-form.ts';

export type ReadAnswer =
  | { readonly ok: true; readonly value: unknown }
  | { readonly ok: false; readonly problem: string };

export interface ProtocolRequest extends InputRequest {
  readonly needs: ClientFeature;
  read(answer: unknown): ReadAnswer | Promise<ReadAnswer>;
}

const accepted = (value: unknown): ReadAnswer => ({ ok: true, value });
const wrong = (problem: string): ReadAnswer => ({ ok: false, problem });

/** Throws `invalid-outgoing-message` for an invalid request, before anything is sent. */
export function toProtocolRequest(
  key: string,
  request: ServerRequest | ProtocolForm,
  callId: string,
  urlSchemes: readonly string[],
): ProtocolRequest {
  if (key === '__proto__') throw unusable(key, 'the key __proto__ is not allowed; use another one');
  if (request instanceof ProtocolForm) return checkedForm(key, request, urlSchemes);
  if (!isServerRequest(request)) throw unusable(key, "it must be an object or 'roots'");
  if (isElicitation(request) && typeof (request as { message?: unknown }).message !== 'string')
    throw unusable(key, "message is missing: write { message: 'a text for the user', … }", 'message');
  const sent = requestOf(key, request, callId);
  const problem = problemOf(sent, urlSchemes);
  if (problem === undefined) return sent;
  const field = sent.needs === 'elicitation.form' ? wrongFormField(sent.params?.requestedSchema, isForm) : undefined;
  if (field === undefined) throw unusable(key, problem);
  const place = `${'schema' in (request as object) ? 'schema' : 'requestedSchema'}.${field.name}`;
  throw unusable(key, `${place} ${field.problem}; ${problem}`, place);
}

function checkedForm(key: string, form: ProtocolForm, urlSchemes: readonly string[]): ProtocolRequest {
  const sent = fromProtocolForm(form);
  const problem = sent === undefined ? `no client knows ${form.request.method}` : problemOf(sent, urlSchemes);
  if (sent === undefined || problem !== undefined) throw unusable(key, String(problem));
  return sent;
}

const unusable = (key: string, problem: string, place?: string): TenonError =>
  new TenonError('invalid-outgoing-message', `The request ${JSON.stringify(key)} cannot be sent: ${problem}.`, {
    ...(place !== undefined && { details: { place } }),
  });

const isServerRequest = (request: unknown): boolean => request === 'roots' || isRecord(request);

const isElicitation = (request: ServerRequest): boolean => request !== 'roots' && !isSampling(request);

/** An elicitation can have messages as well, before its own. */
const isSampling = (request: object): request is SampleRequest => 'messages' in request && !('message' in request);

/** The methods of a context that send one request; `forward` sends those in the form of the protocol. */
export type ContextMethod = 'elicit' | 'sample' | 'roots' | 'forward';

export function fitsMethod(by: ContextMethod, request: ServerRequest | ProtocolForm): boolean {
  if (request instanceof ProtocolForm) return by === 'forward';
  if (request === 'roots') return by === 'roots';
  return isRecord(request) && by === (isSampling(request) ? 'sample' : 'elicit');
}

function requestOf(key: string, request: ServerRequest, callId: string): ProtocolRequest {
  if (request === 'roots') return rootsRequest;
  if (isSampling(request)) return sampleRequest(request as unknown as Fields);
  // The id is the same in every round, and unique to this request.
  if ('url' in request) return urlRequest({ elicitationId: `${callId}.${key}`, ...request });
  if ('schema' in request) return schemaFormRequest(key, request);
  return formRequest(request);
}

/** Validates an answer by the protocol request alone, if the handler's own schema is not known. */
export function readAnswer({ method, params = {} }: InputRequest, answer: unknown): ReadAnswer | Promise<ReadAnswer> {
  if (method === 'roots/list') return rootsRequest.read(answer);
  if (method === 'sampling/createMessage') return sampleRequest(params).read(answer);
  if (params.mode === 'url') return urlRequest(params).read(answer);
  return formRequest(params as unknown as PlainFormElicitation).read(answer);
}

export const messageOf = ({ method, params }: InputRequest): InputRequest =>
  params === undefined ? { method } : { method, params };

function problemOf({ method, params = {}, needs }: ProtocolRequest, urlSchemes: readonly string[]): string | undefined {
  if (needs === 'elicitation.url') {
    const problem = urlProblem(String(params.url), urlSchemes);
    if (problem !== undefined) return problem;
  }
  if (method === 'sampling/createMessage') {
    const problem = samplingProblem(params);
    if (problem !== undefined) return problem;
  }
  if (needs === 'elicitation.form' && params.messages !== undefined && !isMessages(params.messages))
    return 'messages must be a list of { role, content }';
  if (isSendable(method, params)) return undefined;
  return needs === 'elicitation.form'
    ? 'the schema of a form must be a flat object of strings, numbers, booleans and enums; string formats are email, uri, date and date-time'
    : `it is not valid for ${method}`;
}

const isMessages = (messages: unknown): boolean =>
  Array.isArray(messages) && messages.every((one) => isRecord(one) && 'role' in one && isRecord(one.content));

const isSendable = (method: string, params: Fields): boolean =>
  isInputRequiredResult({ resultType: 'input_required', inputRequests: { it: { method, params } } });

const isForm = (requestedSchema: unknown): boolean =>
  isSendable('elicitation/create', { mode: 'form', message: '', requestedSchema });

/** Other schemes than http and https can start a program on the user's machine, so the server has to allow them. */
function urlProblem(url: string, urlSchemes: readonly string[]): string | undefined {
  if (!isUrl(url)) return 'its url is not a valid URL';
  const isAllowed = urlSchemes.includes(new URL(url).protocol.slice(0, -1));
  return isAllowed
    ? undefined
    : `its url must begin with ${urlSchemes.map((scheme) => `${scheme}:`).join(' or ')} (allowedUrlSchemes)`;
}

const rootsRequest: ProtocolRequest = {
  method: 'roots/list',
  needs: 'roots',
  read: (answer) => (isRoots(answer) ? accepted((answer as Fields).roots) : wrong('expected a list of roots')),
};

const sampleRequest = (params: Fields): ProtocolRequest => ({
  method: 'sampling/createMessage',
  params,
  needs: params.tools === undefined && params.toolChoice === undefined ? 'sampling' : 'sampling.tools',
  read: (answer) => (isSampled(answer) ? accepted(answer) : wrong('expected a message from a model')),
});

const urlRequest = (request: Fields): ProtocolRequest => ({
  method: 'elicitation/create',
  params: { mode: 'url', ...request },
  needs: 'elicitation.url',
  read: (answer) =>
    isElicited(answer) ? accepted({ action: (answer as Fields).action }) : wrong('expected what the user did'),
});

const formRequest = (
  { message, requestedSchema, messages, metadata }: PlainFormElicitation,
  schema?: SchemaReading,
): ProtocolRequest => ({
  method: 'elicitation/create',
  params: {
    mode: 'form',
    message,
    requestedSchema,
    ...(messages !== undefined && { messages }),
    ...(metadata !== undefined && { metadata }),
  },
  needs: 'elicitation.form',
  read(answer) {
    if (!isElicited(answer)) return wrong('expected what the user did');
    const { action, content = {} } = answer as Fields;
    if (action !== 'accept') return accepted({ action });
    const filled = withFormDefaults(requestedSchema, content as Fields);
    const problem = formProblem(requestedSchema, filled);
    if (problem !== undefined) return wrong(problem);
    return schema === undefined ? accepted({ action, content: filled }) : validated(schema, filled);
  },
});

/** Validates the user's answer by the handler's own schema. */
async function validated(schema: SchemaReading, filled: Fields): Promise<ReadAnswer> {
  const outcome = await schema.validate(filled);
  return outcome.ok ? accepted({ action: 'accept', content: outcome.value }) : wrong(issuesText(outcome.issues));
}

function schemaFormRequest(key: string, { message, schema, messages, metadata }: FormElicitation): ProtocolRequest {
  const reading = readSchema(schema, `the request ${JSON.stringify(key)}`);
  const { $schema: _, additionalProperties: __, ...requestedSchema } = reading.jsonSchema.input;
  const form = { message, requestedSchema: requestedSchema as unknown as RequestedSchema };
  return formRequest(
    { ...form, ...(messages !== undefined && { messages }), ...(metadata !== undefined && { metadata }) },
    reading,
  );
}

/** The first field that no form can have alone, and what is wrong with it. `isForm` checks a whole schema. */
function wrongFormField(
  schema: unknown,
  isForm: (schema: unknown) => boolean,
): { readonly name: string; readonly problem: string } | undefined {
  if (!isRecord(schema) || !isRecord(schema.properties)) return undefined;
  const isWrong = ([name, field]: [string, unknown]): boolean =>
    !isForm({ type: 'object', properties: { [name]: field } });
  const found = Object.entries(schema.properties).find(isWrong);
  return found && { name: found[0], problem: fieldProblem(found[1]) };
}

function fieldProblem(field: unknown): string {
  const { type, format, anyOf, allOf, $ref } = isRecord(field) ? field : {};
  if (type === 'object') return 'is an object, and a form is flat';
  if (type === 'array') return 'is a list, and a form has only lists of choices';
  if (type === 'string' && typeof format === 'string') return `has the format ${JSON.stringify(format)}`;
  if (Array.isArray(type) || anyOf !== undefined || allOf !== undefined || $ref !== undefined)
    return 'has several types or a reference';
  return 'has a type that no form has';
}
