/** The user's handlers for requests of the server: elicitation, sampling and roots. */

import { RpcError } from '../../jsonrpc/errors.ts';
import { TenonError } from '../../lib/errors/tenon-error.ts';
import { isUrl } from '../../lib/text/parse-url.ts';
import { shown } from '../../lib/text/shown.ts';
import type { Fields } from '../../lib/values/is.ts';
import { isRecord } from '../../lib/values/is.ts';
import { formOf, messageOf } from '../../protocol/dialects/elicitation-messages.ts';
import { errorDetails } from '../../protocol/error-data.ts';
import { rpcError } from '../../protocol/errors.ts';
import { formProblem, withFormDefaults } from '../../protocol/form.ts';
import { isElicited, isRoots, isSampled } from '../../protocol/generated/result-kinds.ts';
import type {
  ClientCapabilities,
  CreateMessageRequestParams,
  CreateMessageResult,
  ElicitedValue,
  ElicitResult,
  PromptMessage,
  RequestedSchema,
  Root,
} from '../../protocol/generated/types/records.ts';
import type { InputRequest } from '../../protocol/neutral.ts';
import type { ReportProgress } from '../../protocol/progress.ts';
import { samplingMethod, samplingProblem } from '../../protocol/sampling.ts';
import { openableUrl, webSchemes } from './openable-url.ts';
import { type HandlerTaskOptions, taskCapability } from './tasks/options.ts';

/** A form that the server wants the user to fill in. */
export interface ElicitFormRequest {
  /** The text to show to the user. */
  readonly message: string;
  /** The fields of the form, as JSON Schema. */
  readonly requestedSchema: RequestedSchema;
  /** What the server sent by `elicitation/createMessage`, whose texts are `message`; see the page on dialects. */
  readonly messages?: readonly PromptMessage[];
  /** What the server adds to a request by `elicitation/createMessage`; see the page on dialects. */
  readonly metadata?: Readonly<Record<string, unknown>>;
}

/** A URL that the server wants the user to open. */
export interface ElicitUrlRequest {
  /** The text to show to the user. */
  readonly message: string;
  /**
   * The URL to open, normalised: the host in ASCII letters (punycode), control characters and spaces encoded. It has no
   * user name and no password.
   */
  readonly url: string;
  /** The id by which the server reports it complete. */
  readonly elicitationId?: string;
}

/** What the user did with a form. */
export interface ElicitFormResult {
  /** Whether the user submitted the form, refused it, or closed it. */
  readonly action: ElicitResult['action'];
  /** The fields of an accepted form. A field that is `undefined` counts as left out. */
  readonly content?: Readonly<Record<string, ElicitedValue | undefined>> | undefined;
}

type Maybe<T> = T | Promise<T>;

/** The second argument of every handler. */
export interface HandlerContext {
  /** Aborted when the server no longer waits for the answer. */
  readonly signal: AbortSignal;
  /** Sends progress, if the server requested it; otherwise does nothing. */
  readonly reportProgress: ReportProgress;
}

/**
 * Handlers for requests of the server. The client declares the capabilities that have a handler here; a server must not
 * request anything else.
 *
 * @area client
 * @example
 * ```ts
 * const handlers: ClientHandlers = {
 *   elicitForm: async ({ message, requestedSchema }, { signal }) => ({
 *     action: 'accept',
 *     content: await showForm(message, requestedSchema, signal),
 *   }),
 *   roots: [{ uri: 'file:///home/me/project' }],
 * };
 * ```
 */
export interface ClientHandlers {
  /**
   * Shows a form to the user. Fields that are left out get the defaults of the form.
   * @default off
   */
  readonly elicitForm?: (request: ElicitFormRequest, context: HandlerContext) => Maybe<ElicitFormResult>;
  /**
   * Requests the user to open a URL. `accept` means that the user agreed, not that it is done.
   * @default off
   */
  readonly elicitUrl?: (request: ElicitUrlRequest, context: HandlerContext) => Maybe<ElicitResult>;
  /**
   * Called when the server reports that a URL elicitation is complete.
   * @default off
   */
  readonly onElicitationComplete?: (elicitation: ElicitUrlRequest) => void;
  /**
   * The URL schemes that `elicitUrl` may get.
   * @default computed `['http', 'https']`
   * @rule urlSchemes
   */
  readonly allowedUrlSchemes?: readonly string[];
  /**
   * Runs a model for a sampling request.
   * @default off
   */
  readonly sample?: (request: CreateMessageRequestParams, context: HandlerContext) => Maybe<CreateMessageResult>;
  /**
   * Whether `sample` supports `tools` and `toolChoice`.
   * @default false
   */
  readonly samplingTools?: boolean;
  /**
   * The roots of the client: a list, or a function that returns one.
   * @default off
   * @rule rootsRule
   */
  readonly roots?: readonly Root[] | (() => Maybe<readonly Root[]>);
  /**
   * Whether a server may have `elicitForm`, `elicitUrl` and `sample` run as tasks: then an answer may take hours, and no
   * request waits for it. An object sets how.
   * @default true
   */
  readonly tasks?: boolean | HandlerTaskOptions;
}

/** In the place of handlers, for a server in front of another: requests and answers pass as they are. */
export interface PassedRequests {
  /** Returns the answer as it is sent. An `RpcError` is sent as the error of the client. */
  answer(request: InputRequest, context: HandlerContext): Promise<Fields>;
  /** A URL elicitation is complete that no request of this client named. */
  elicitationCompleted?(elicitationId: string): void;
}

/** The member of handlers that passes requests on. The handlers beside it declare what the client supports. */
export const passedRequests: unique symbol = Symbol('tenon.passedRequests');

/** Handlers that may pass requests on. Internal: `tenon/gateway` does. */
export interface PassingHandlers extends ClientHandlers {
  readonly [passedRequests]?: PassedRequests;
}

/** Whether a server may have requests run as tasks: there is a handler for one that can, and `tasks` is not off. */
export const runsTasks = ({ elicitForm, elicitUrl, sample, tasks }: ClientHandlers): boolean =>
  tasks !== false && (elicitForm ?? elicitUrl ?? sample) !== undefined;

export function capabilitiesOf(handlers: ClientHandlers): ClientCapabilities {
  const { elicitForm: form, elicitUrl: url, sample, samplingTools, roots } = handlers;
  const elicits = (form ?? url) !== undefined;
  return {
    ...(roots !== undefined && { roots: { listChanged: true } }),
    ...(sample !== undefined && { sampling: samplingTools ? { tools: {} } : {} }),
    ...(elicits && { elicitation: { ...(form && { form: {} }), ...(url && { url: {} }) } }),
    ...(runsTasks(handlers) && { tasks: taskCapability(elicits, sample !== undefined) }),
  };
}

/** Answers one request. Throws an `RpcError` for a request that this client does not support. */
export async function answer(
  answers: ClientHandlers,
  { method, params: sent = {} }: InputRequest,
  context: HandlerContext,
): Promise<Fields> {
  // Whether it runs as a task is not for the handler.
  const { task: _, ...params } = sent;
  const passed = (answers as PassingHandlers)[passedRequests];
  if (passed !== undefined) return passed.answer({ method, params }, context);
  switch (method) {
    case 'roots/list':
      if (answers.roots === undefined) break;
      return rootsOf(typeof answers.roots === 'function' ? await answers.roots() : answers.roots);
    case 'sampling/createMessage':
      return sample(answers, params as unknown as CreateMessageRequestParams, context);
    case 'elicitation/create':
      return elicit(answers, params, context);
    case 'elicitation/createMessage':
      return messageOf(await elicit(answers, formOf(params), context));
  }
  throw rpcError('method-not-found', `Method not found: ${shown(method)}`, { method: shown(method) });
}

async function sample(
  answers: ClientHandlers,
  request: CreateMessageRequestParams,
  context: HandlerContext,
): Promise<Fields> {
  if (answers.sample === undefined)
    throw rpcError('sampling-not-supported', 'This client does not support sampling', { method: samplingMethod });
  if ((request.tools ?? request.toolChoice) !== undefined && answers.samplingTools !== true) {
    throw refusedField('tools', 'This client did not declare sampling.tools');
  }
  const problem = samplingProblem({ ...request });
  if (problem !== undefined)
    throw rpcError('invalid-params', `The messages are not valid: ${problem}`, errorDetails('messages', problem));
  const sampled = await answers.sample(request, context);
  if (!isSampled(sampled)) throw invalidAnswer('sample', 'Return { model, role, content }.');
  checkToolUse(request.toolChoice?.mode, sampled);
  return { ...sampled };
}

/** Params that this client does not take, with the field that is wrong. */
const refusedField = (field: string, text: string): RpcError =>
  rpcError('invalid-params', text, errorDetails(field, text));

/** Checks that the model followed `toolChoice`. */
function checkToolUse(mode: string | undefined, { content }: CreateMessageResult): void {
  const used = [content].flat().some(({ type }) => type === 'tool_use');
  if ((mode !== 'required' || used) && (mode !== 'none' || !used)) return;
  const text = used
    ? 'The model used a tool although toolChoice is none.'
    : 'The model used no tool although toolChoice is required.';
  throw new TenonError('invalid-outgoing-message', text);
}

function rootsOf(roots: readonly Root[]): Fields {
  if (!isRoots({ roots })) throw invalidAnswer('roots', "Return a list such as [{ uri: 'file:///home/me/project' }].");
  const wrong = roots.find((root) => rootProblem(root) !== undefined);
  if (wrong !== undefined)
    throw new TenonError('invalid-outgoing-message', `The root ${wrong.uri} ${rootProblem(wrong)}.`, {
      hint: 'Use pathToFileURL of the resolved path.',
    });
  return { roots: [...roots] };
}

/** A root must be a file URI without `..`, so that servers cannot misread it. */
export function rootProblem(root: unknown): string | undefined {
  if (!isRoots({ roots: [root] })) return "is not an object such as { uri: 'file:///home/me/project' }";
  const { uri } = root as Root;
  const path = /^file:\/\/([^?#]*)/i.exec(uri)?.[1];
  const isPlain = path !== undefined && isUrl(uri);
  const leadsUp = path?.split(/[\\/]|%2f|%5c/i).some((part) => /^(?:\.|%2e){2}$/i.test(part));
  return isPlain && !leadsUp ? undefined : 'is not a file URI with a plain path';
}

async function elicit(answers: ClientHandlers, request: Fields, context: HandlerContext): Promise<Fields> {
  if (request.mode === 'url') {
    if (answers.elicitUrl === undefined) throw refusedField('mode', 'This client did not declare elicitation.url');
    const url = normalisedUrl(String(request.url), answers.allowedUrlSchemes);
    const toShow = { ...request, url } as unknown as ElicitUrlRequest;
    const { action } = elicited('elicitUrl', await answers.elicitUrl(toShow, context));
    return { action };
  }
  if (answers.elicitForm === undefined) throw refusedField('mode', 'This client did not declare elicitation.form');
  const form = request as unknown as ElicitFormRequest;
  const result = elicited('elicitForm', await answers.elicitForm(form, context));
  return result.action === 'accept' ? filledIn(form.requestedSchema, result) : { action: result.action };
}

function normalisedUrl(text: string, schemes: readonly string[] = webSchemes): string {
  const url = openableUrl(text, schemes);
  if (url !== undefined) return url;
  const refusal = `This client opens only URLs with the scheme ${schemes.join(' and ')}, and without a user name or password`;
  throw refusedField('url', refusal);
}

function elicited(by: 'elicitForm' | 'elicitUrl', result: ElicitFormResult): ElicitResult {
  const sent = withoutUndefined(result);
  if (isElicited(sent)) return sent as unknown as ElicitResult;
  const content = by === 'elicitForm' ? ', content: { … }' : '';
  throw invalidAnswer(by, `Return { action: 'accept'${content} }, { action: 'decline' } or { action: 'cancel' }.`);
}

/** The same result without fields that are `undefined`. */
export function withoutUndefined(result: unknown): unknown {
  if (!isRecord(result) || !isRecord(result.content)) return result;
  return {
    ...result,
    content: Object.fromEntries(Object.entries(result.content).filter(([, value]) => value !== undefined)),
  };
}

const invalidAnswer = (by: keyof ClientHandlers, hint: string): TenonError =>
  new TenonError('invalid-outgoing-message', `The handler \`${by}\` did not return a valid result.`, {
    hint,
  });

/** Validates the content of a form before it is sent. */
function filledIn(schema: RequestedSchema, { action, content }: ElicitResult): Fields {
  const filled = withFormDefaults(schema, isRecord(content) ? content : {});
  const problem = formProblem(schema, filled);
  if (problem === undefined) return { action, content: filled };
  throw new TenonError('invalid-outgoing-message', `The content of the form is not valid: ${problem}`);
}

/** The error sent to the server: an `RpcError` that the handler threw, or an internal error without details. */
export const answerFailure = (error: unknown): RpcError =>
  RpcError.isOwn(error) ? error : rpcError('internal-error', 'The client failed to answer the request');

/** The warning about a request that a handler failed to answer. */
export const handlerFailed = (cause: unknown, method: string): TenonError =>
  cause instanceof TenonError
    ? cause
    : new TenonError('server-request-failed', `A handler for ${method} failed.`, {
        hint: 'See the cause: one of your `handlers` threw it.',
        details: { method },
        cause,
      });

/** The error for the caller whose call waited for the answer. */
export function unansweredError(cause: unknown, { method }: InputRequest, key: string): TenonError {
  if (cause instanceof TenonError) return cause;
  const details = { method, key };
  const request = `${method} (key ${JSON.stringify(key)})`;
  // An `RpcError` would look like an error of the server.
  if (cause instanceof RpcError) {
    // The cause has more details than the error that the server gets.
    const why = cause.cause instanceof TenonError ? cause.cause.message : `${cause.message}.`;
    return new TenonError('server-request-failed', `The client refused ${request}: ${why}`, {
      details,
      cause,
    });
  }
  return new TenonError('server-request-failed', `A handler for ${request} failed.`, {
    hint: 'See the cause: one of your `handlers` threw it.',
    details,
    cause,
  });
}
