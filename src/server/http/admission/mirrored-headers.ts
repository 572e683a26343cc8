/** Headers that repeat parts of the body for proxies: each must have the value of the body. */
import { fromBase64, toBase64 } from '../../../lib/text/base64.ts';
import { isRecord } from '../../../lib/values/is.ts';
import type { GuardedCaller } from '../../../ports/guard.ts';
import { namedTargets } from '../../../protocol/named-targets.ts';
import { type Serving, visibleTo } from '../../kernel/serving.ts';
import type { HttpRequest } from '../message.ts';

/** The problem with the headers of a request, if any. */
export function mirrorProblem(
  request: HttpRequest,
  method: string,
  params: unknown,
  serving: Pick<Serving, 'registry' | 'source' | 'guard'>,
  caller: GuardedCaller,
): string | undefined {
  const sent = request.header('mcp-method');
  if (sent === undefined) return 'The header Mcp-Method is required: send the method of the body in it';
  if (sent.trim() !== method) return 'The header Mcp-Method differs from the method in the body';
  const key = namedTargets[method];
  if (key === undefined || !isRecord(params)) return undefined;
  const problem = differs('Mcp-Name', request.header('mcp-name'), params[key]);
  // With a source of features the tools of the caller are not known yet: the call itself checks the others.
  if (problem !== undefined || method !== 'tools/call' || serving.source !== undefined) return problem;
  const tool = visibleTo(serving, serving.registry(), caller).tools.get(params.name as string);
  return argumentsProblem(request, tool?.record.inputSchema, params.arguments);
}

/** The problem with the headers that the input schema of a tool requires, if any. */
export const argumentsProblem = (request: Headed, schema: unknown, args: unknown): string | undefined =>
  isRecord(schema) && isMarked(schema) ? parameterProblem(request, args, schema) : undefined;

type Headed = Pick<HttpRequest, 'header'>;

const marked = new WeakMap<object, boolean>();

/** Whether a schema has `x-mcp-header` anywhere; cached. */
function isMarked(schema: object): boolean {
  let is = marked.get(schema);
  if (is === undefined) {
    is = JSON.stringify(schema).includes('"x-mcp-header"');
    marked.set(schema, is);
  }
  return is;
}

/** Checks the headers that a tool's schema requires: `x-mcp-header` on properties, nested ones included. */
function parameterProblem(request: Headed, args: unknown, schema: unknown): string | undefined {
  if (!isRecord(schema) || !isRecord(schema.properties)) return undefined;
  for (const [name, property] of Object.entries(schema.properties)) {
    const value = isRecord(args) ? args[name] : undefined;
    if (!isRecord(property)) continue;
    const header = property['x-mcp-header'];
    const problem =
      typeof header === 'string'
        ? differs(`Mcp-Param-${header}`, request.header(`mcp-param-${header.toLowerCase()}`), value)
        : parameterProblem(request, value, property);
    if (problem !== undefined) return problem;
  }
  return undefined;
}

function differs(header: string, sent: string | undefined, value: unknown): string | undefined {
  const isGiven = value !== undefined && value !== null;
  if (sent === undefined && !isGiven) return undefined;
  if (sent === undefined) return `The header ${header} is required: send ${shown(value)} of the body in it`;
  if (sent === value && isUnencoded(sent)) return undefined;
  const read = decoded(sent.trim());
  if (read === undefined) return `The header ${header} is not valid: send printable ASCII, or Base64 as =?base64?…?=`;
  if (!isGiven) return `The header ${header} has no value in the body that it repeats`;
  return isSame(read, value) ? undefined : `The header ${header} differs from the body`;
}

/** Lists and objects have no text that a header could have; one may even refuse to become a text. */
const isSame = (read: string, value: unknown): boolean =>
  typeof value === 'number' ? isNumber(read, value) : typeof value !== 'object' && read === String(value);

/** Beyond 2^53 - 1 two different numbers can have the same value in JavaScript. */
const isNumber = (read: string, value: number): boolean =>
  /^-?\d+(\.\d+)?$/.test(read) && Number(read) === value && Math.abs(value) <= Number.MAX_SAFE_INTEGER;

const sentinel = /^=\?base64\?(.*)\?=$/;
const base64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/;

/** The value of a header, plain or in Base64 between its markers; `undefined` where it is neither. */
function decoded(text: string): string | undefined {
  const wrapped = sentinel.exec(text)?.[1];
  if (wrapped === undefined) return /^[\x20-\x7e\t]*$/.test(text) ? text : undefined;
  if (!base64.test(wrapped)) return undefined;
  try {
    const bytes = fromBase64(wrapped);
    // Unused bits would allow several encodings of one value.
    if (toBase64(bytes) !== wrapped) return undefined;
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return undefined;
  }
}

const shown = (value: unknown): string => (JSON.stringify(value) ?? '').slice(0, 100);

/** A value that is not encoded: printable, without spaces around it, and no Base64 between markers. */
const isUnencoded = (text: string): boolean => /^[!-~]+$/.test(text) && !text.startsWith('=?');
