/** The request of a call: its URL, headers and body. */

import { TenonError } from '../../lib/errors/tenon-error.ts';
import { isRecord } from '../../lib/values/is.ts';
import { ToolError } from '../../server/definition/tool-error.ts';
import type { Method } from '../operations/operation.ts';
import { withoutSlash } from '../operations/server-url.ts';
import type { Body } from '../schemas/body.ts';
import type { Arguments } from '../schemas/input-schema.ts';
import type { Parameter } from '../schemas/parameters.ts';
import { deepParts, headerText, pathText, plainText, queryParts } from './styles.ts';

/** How the requests of one operation are written. */
export interface RequestPlan {
  readonly method: Method;
  readonly path: string;
  readonly base: URL;
  readonly parameters: readonly Parameter[];
  readonly body: Body | undefined;
}

export interface ApiRequest {
  readonly method: string;
  /** Without credentials. */
  readonly url: URL;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | Uint8Array<ArrayBuffer> | undefined;
}

export async function requestFor(plan: RequestPlan, args: Arguments): Promise<ApiRequest> {
  const { method, parameters, body } = plan;
  const headers: Record<string, string> = { accept: 'application/json, text/*;q=0.8, */*;q=0.5' };
  for (const parameter of parameters) {
    const value = args[parameter.argument];
    if (parameter.in === 'header' && value !== undefined && value !== null)
      headers[parameter.name.toLowerCase()] = headerText(parameter, value);
  }
  const url = urlFor(plan, args);
  if (body === undefined || args.body === undefined)
    return { method: method.toUpperCase(), url, headers, body: undefined };
  const { mediaType, content } = await bodyFor(body, args.body);
  return { method: method.toUpperCase(), url, headers: { ...headers, 'content-type': mediaType }, body: content };
}

function urlFor({ base, path, parameters }: RequestPlan, args: Arguments): URL {
  const byName = new Map(parameters.filter((one) => one.in === 'path').map((one) => [one.name, one]));
  const filled = path.replace(/\{([^{}]+)\}/g, (whole, name: string) => {
    const parameter = byName.get(name);
    return parameter === undefined ? whole : pathText(parameter, args[parameter.argument]);
  });
  const text = `${withoutSlash(base)}${filled}`;
  const url = new URL(text);
  // Whatever the values are, the request is the one that the document describes.
  if (url.origin !== base.origin || !text.startsWith(`${url.origin}${url.pathname}`))
    throw new TenonError('url-not-allowed', 'The arguments would lead to another path of the API.', {
      hint: 'Use values that are parts of a path.',
    });
  const query = parameters.filter((one) => one.in === 'query');
  const parts = query.flatMap((one) => queryParts(one, args[one.argument]));
  url.search = [url.search.slice(1), ...parts].filter((part) => part !== '').join('&');
  return url;
}

interface SentBody {
  readonly mediaType: string;
  readonly content: NonNullable<ApiRequest['body']>;
}

function bodyFor(body: Body, value: unknown): SentBody | Promise<SentBody> {
  const { kind, mediaType } = body;
  if (kind === 'json') return { mediaType, content: JSON.stringify(value) };
  if (kind === 'text') return { mediaType, content: plainText(value) };
  if (kind === 'bytes') return { mediaType, content: bytesOf('body', value) };
  if (!isRecord(value)) throw new ToolError('The argument body must be an object.');
  const members = Object.entries(value).filter(([, one]) => one !== undefined && one !== null);
  return kind === 'form' ? { mediaType, content: formBody(members, body) } : multipartBody(members, body);
}

function formBody(members: readonly [string, unknown][], { deepObjects }: Body): string {
  const parts = members.flatMap(([name, value]) => {
    if (deepObjects.has(name)) return deepParts(name, value);
    const isJson = isRecord(value);
    return queryParts({ name, style: 'form', explode: true, isJson }, value);
  });
  return parts.join('&');
}

async function multipartBody(members: readonly [string, unknown][], { files }: Body): Promise<SentBody> {
  const form = new FormData();
  for (const [name, value] of members)
    for (const one of Array.isArray(value) ? value : [value]) {
      if (files.has(name)) form.append(name, new Blob([bytesOf(name, one)]), name);
      else if (isRecord(one)) form.append(name, new Blob([JSON.stringify(one)], { type: 'application/json' }));
      else form.append(name, plainText(one));
    }
  // Written here: `fetch` of another copy of undici does not know this form. The platform chooses the boundary.
  const written = new Response(form);
  const content = new Uint8Array(await written.arrayBuffer());
  return { mediaType: written.headers.get('content-type') ?? '', content };
}

function bytesOf(name: string, value: unknown): Uint8Array<ArrayBuffer> {
  const text = typeof value === 'string' ? value : '';
  if (!/^[A-Za-z0-9+/_-]*={0,2}$/.test(text)) throw new ToolError(`The argument ${name} must be Base64.`);
  return new Uint8Array(Buffer.from(text, 'base64'));
}
