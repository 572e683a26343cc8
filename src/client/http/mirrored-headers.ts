/** Headers that repeat parts of a request, so that gateways can read them. */
import { toBase64 } from '../../lib/text/base64.ts';
import { isRecord } from '../../lib/values/is.ts';
import type { Tool } from '../../protocol/generated/types/records.ts';
import { type HeaderMark, headerMarksOf, isMarkProblem, type MarkProblem } from '../../protocol/header-marks.ts';
import { namedTargets } from '../../protocol/named-targets.ts';

/** More than any server has; beyond that the oldest are dropped, and looked up again when needed. */
const mostTools = 10_000;

export class MirroredHeaders {
  /** Created for the first tool that has any: few servers mark parameters. */
  #marks: Map<string, readonly HeaderMark[]> | undefined;

  /** Adds the headers of one request. */
  write(headers: Record<string, string>, method: string, params: unknown): void {
    headers['mcp-method'] = method;
    const key = namedTargets[method];
    if (key === undefined || !isRecord(params)) return;
    const name = params[key];
    if (typeof name !== 'string') return;
    headers['mcp-name'] = headerValue(name);
    const repeated = method === 'tools/call' ? this.#marks?.get(name) : undefined;
    if (repeated !== undefined) writeMarked(headers, params.arguments, repeated);
  }

  /** Stores which parameters of a tool are repeated, or returns the problem of its marks. */
  admit({ name, inputSchema }: Tool): MarkProblem | undefined {
    const found = headerMarksOf(inputSchema);
    this.#marks?.delete(name);
    if (isMarkProblem(found)) return found;
    if (found.length === 0) return undefined;
    this.#marks ??= new Map();
    if (this.#marks.size >= mostTools) this.#marks.delete(this.#marks.keys().next().value as string);
    this.#marks.set(name, found);
    return undefined;
  }
}

function writeMarked(headers: Record<string, string>, args: unknown, marks: readonly HeaderMark[]): void {
  for (const { name, path } of marks) {
    let value = args;
    for (const step of path) value = isRecord(value) && Object.hasOwn(value, step) ? value[step] : undefined;
    const text = textOf(value);
    if (text !== undefined) headers[`mcp-param-${name.toLowerCase()}`] = headerValue(text);
  }
}

/** Values that do not match the schema are left out: the server rejects them. */
function textOf(value: unknown): string | undefined {
  if (typeof value === 'string') return value;
  return typeof value === 'boolean' || Number.isSafeInteger(value) ? String(value) : undefined;
}

const plain = /^(?:[!-~](?:[\t -~]*[!-~])?)?$/;
const looksWrapped = /^=\?base64\?.*\?=$/;

/** A value as a header can carry it: as it is, or its bytes in Base64 between markers. */
export function headerValue(text: string): string {
  if (plain.test(text) && !looksWrapped.test(text)) return text;
  return `=?base64?${toBase64(new TextEncoder().encode(text))}?=`;
}
