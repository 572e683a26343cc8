/** Reads a resource, and makes contents of what its reader gives. */
import { toBase64 } from '../../protocol/base64.ts';
import type { CacheHint, Fields } from '../../protocol/neutral.ts';
import { checkMeta } from '../definition/meta.ts';
import type { ResourceBody, ResourcePart } from '../definition/resource.ts';
import { markedOf } from '../definition/returns.ts';
import { askByReturning, type Invocation, resourceMissing, whenSettled } from './invocation.ts';
import { limitTime } from './time-limit.ts';

/** What a read needs of a resource, or of a template. */
export interface Readable {
  readonly mimeType: string | undefined;
  readonly cache: CacheHint | undefined;
  readonly timeoutMs: number | undefined;
  /** Whether giving nothing means that there is no such resource: a template matches more than there is. */
  readonly mayBeMissing: boolean;
}

export function readResource(invocation: Invocation, readable: Readable, read: () => unknown): void {
  limitTime(invocation, readable.timeoutMs);
  whenSettled(
    read,
    (body) => returned(invocation, readable, body),
    (error) => invocation.fail(error),
  );
}

function returned(invocation: Invocation, { mimeType, cache, mayBeMissing }: Readable, body: unknown): void {
  const { target } = invocation;
  if (body === undefined && mayBeMissing) return invocation.finish(resourceMissing(target));
  const marked = markedOf(body);
  if (marked?.kind === 'needs-input') {
    return askByReturning(invocation, marked, (error) => invocation.fail(error));
  }
  const contents = partsOf(body as ResourceBody, target).map((part) => contentsOf(part, target, mimeType));
  invocation.finish({ kind: 'done', result: { contents }, cache: cache ?? invocation.cache });
}

function partsOf(body: ResourceBody, uri: string): readonly ResourcePart[] {
  if (typeof body === 'string') return [{ text: body }];
  if (body instanceof Uint8Array) return [{ bytes: body }];
  if (Array.isArray(body)) return body;
  throw new Error(`resources[${JSON.stringify(uri)}]: a resource gives a string, a Uint8Array or a list of parts.`);
}

function contentsOf({ uri, mimeType, text, bytes, _meta }: ResourcePart, asked: string, usual: unknown): Fields {
  const type = mimeType ?? usual;
  checkMeta('contents', _meta);
  return {
    uri: uri ?? asked,
    ...(type !== undefined && { mimeType: type }),
    ...(bytes === undefined ? { text: text ?? '' } : { blob: toBase64(bytes) }),
    ...(_meta && { _meta }),
  };
}
