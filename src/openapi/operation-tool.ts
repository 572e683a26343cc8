/** The tool of one operation: its description and arguments, and what a call of it does. */
import { messageWithoutHint, TenonError } from '../lib/errors/tenon-error.ts';
import type { Context } from '../server/definition/context.ts';
import { type WholeResult } from '../server/definition/returns.ts';
import type { ToolDefinition } from '../server/definition/tool.ts';
import { ToolError } from '../server/definition/tool-error.ts';
import { tool } from '../server/features/tool.ts';
import type { Applied, CredentialCall, Credentials } from './calls/credentials.ts';
import { type ApiRequest, type RequestPlan, requestFor } from './calls/request.ts';
import { resultOf } from './calls/result.ts';
import { type ReadDocument, textOf, Unusable } from './document/document.ts';
import { type FoundOperation, shownOperation } from './operations/operation.ts';
import { credentialFields, type Needs, needsOf } from './operations/security.ts';
import { operationUrl } from './operations/server-url.ts';
import { bodyOf } from './schemas/body.ts';
import { type Arguments, inputSchema } from './schemas/input-schema.ts';
import { parametersOf } from './schemas/parameters.ts';

/** What all operations of a server share. */
export interface Api {
  readonly document: ReadDocument;
  readonly base: URL;
  readonly variables: Readonly<Record<string, string>>;
  /** Headers of every request, by names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  readonly credentials: Credentials;
  readonly fetch: (url: URL, init: RequestInit) => Promise<Response>;
  readonly maxResultChars: number;
  readonly maxDescriptionChars: number;
}

/** Throws `Unusable` if the operation cannot be a tool. */
export function operationTool(operation: FoundOperation, api: Api): ToolDefinition {
  const { document, base, variables } = api;
  const { method, path, source } = operation;
  const needs = needsOf(document, operation.security, api.credentials.has);
  const ofCredentials = credentialFields(document);
  const header = new Set([...ofCredentials.header, ...Object.keys(api.headers)]);
  const parameters = parametersOf(document, operation.parameters, { header, query: ofCredentials.query });
  checkPath(path, new Set(parameters.filter((one) => one.in === 'path').map(({ name }) => name)));
  const body = bodyOf(document, source.requestBody);
  const plan = { method, path, base: operationUrl(operation.servers, base, { variables }), parameters, body };
  const call = { operation, plan, needs, api };
  return tool(
    {
      ...(textOf(source.summary) !== '' && { title: textOf(source.summary).slice(0, 100) }),
      description: descriptionOf(operation, api.maxDescriptionChars),
      inputSchema: inputSchema(document, parameters, body),
      annotations: {
        readOnlyHint: method === 'get',
        ...(method !== 'get' && { idempotentHint: method === 'put' || method === 'delete' }),
        ...(method === 'delete' && { destructiveHint: true }),
        openWorldHint: true,
      },
    },
    (args, context) => callOperation(call, args, context),
  ) as ToolDefinition;
}

/** A path that does not begin with a slash would continue the name of the host. */
function checkPath(path: string, declared: ReadonlySet<string>): void {
  if (!path.startsWith('/') || /[?#\\\s]/.test(path)) throw new Unusable('its path is not a plain path');
  const names = [...path.matchAll(/\{([^{}]+)\}/g)].map(([, name = '']) => name);
  const missing = names.find((name) => !declared.has(name));
  if (missing !== undefined) throw new Unusable(`its path has {${missing}}, which no parameter declares`);
}

function descriptionOf(operation: FoundOperation, maxChars: number): string {
  const { source } = operation;
  const texts = [source.deprecated === true ? 'Deprecated.' : '', textOf(source.summary), textOf(source.description)];
  const text = texts
    .map((one) => one.trim())
    .filter((one, at, all) => one !== '' && all.indexOf(one) === at)
    .join('\n\n');
  return text === '' ? shownOperation(operation) : text.slice(0, maxChars);
}

interface OperationCall {
  readonly operation: FoundOperation;
  readonly plan: RequestPlan;
  readonly needs: Needs;
  readonly api: Api;
}

async function callOperation(
  { operation, plan, needs, api }: OperationCall,
  args: Arguments,
  { signal, caller }: Context,
): Promise<WholeResult> {
  const request = await requestFor(plan, args);
  const { id, method, path, tags } = operation;
  const need: CredentialCall = {
    principal: caller.principal,
    operation: { id, method, path, tags },
    ...needs,
    url: request.url.href,
    signal,
  };
  const rules = { maxResultChars: api.maxResultChars, parameters: plan.parameters, url: request.url };
  const first = await api.credentials.get(need);
  if (first === undefined) throw new ToolError('There are no credentials for this API.');
  try {
    const response = await send(request, first, api, signal);
    if (response.status !== 401) return await resultOf(response, { ...rules, secrets: first.secrets });
    // Credentials may have been renewed meanwhile; the API has done nothing.
    const second = await api.credentials.get(need, first);
    if (second === undefined) return await resultOf(response, { ...rules, secrets: first.secrets });
    await response.body?.cancel();
    const secrets = [...first.secrets, ...second.secrets];
    return await resultOf(await send(request, second, api, signal), { ...rules, secrets });
  } catch (error) {
    throw forModel(error, operation);
  }
}

function send(
  { method, url, headers, body }: ApiRequest,
  own: Applied,
  api: Api,
  signal: AbortSignal,
): Promise<Response> {
  const whole = new URL(url);
  for (const [name, value] of own.query) whole.searchParams.append(name, value);
  return api.fetch(whole, {
    method,
    headers: { ...headers, ...api.headers, ...own.headers },
    signal,
    ...(body !== undefined && { body }),
  });
}

const ofNetwork: ReadonlySet<string> = new Set([
  'timeout',
  'unreachable',
  'host-not-found',
  'response-too-large',
  'too-many-redirects',
  'url-not-allowed',
]);
/** After these it is not known whether the API has done what it was asked for. */
const uncertain: ReadonlySet<string> = new Set(['timeout', 'unreachable', 'response-too-large', 'too-many-redirects']);

/** A model can react to failures of the network; their texts name the host, never the rest of the URL. */
function forModel(error: unknown, { method }: FoundOperation): unknown {
  if (!(error instanceof TenonError) || !ofNetwork.has(error.code)) return error;
  const mayHaveRun = method !== 'get' && uncertain.has(error.code) ? ' The API may have carried out the request.' : '';
  return new ToolError(`${messageWithoutHint(error)}${mayHaveRun}`);
}
