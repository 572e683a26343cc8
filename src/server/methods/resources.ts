/** Reads a resource: a fixed one, or the first template that its URI matches. */
import { toBase64 } from '../../protocol/base64.ts';
import { rpcError } from '../../protocol/errors.ts';
import type { CacheHint, Fields } from '../../protocol/neutral.ts';
import type { ResourceBody, ResourcePart } from '../definition/resource.ts';
import { markedOf } from '../definition/returns.ts';
import type { Registry } from '../registry.ts';
import { askByReturning, type Invocation, isOver, limitTime, whenSettled } from './invocation.ts';

interface Found {
  readonly record: Fields;
  readonly cache: CacheHint | undefined;
  read(invocation: Invocation): unknown;
  /** Whether giving nothing means that there is no such resource: a template matches more than there is. */
  readonly mayBeMissing: boolean;
}

export function readResource(invocation: Invocation): void {
  const { registry, target, finish, fail } = invocation;
  const found = findResource(registry, target);
  if (found === undefined) return finish(missing(target));
  limitTime(invocation, invocation.serving.timeoutMs);
  whenSettled(
    () => found.read(invocation),
    (body) => returned(invocation, found, body),
    (error) => {
      if (!isOver(error, invocation)) fail(error);
    },
  );
}

const missing = (uri: string) => rpcError('resource-not-found', 'Resource not found', { uri });

function findResource({ resources, templates }: Registry, uri: string): Found | undefined {
  const fixed = resources.get(uri);
  if (fixed !== undefined) return { ...fixed, read: ({ context }) => fixed.read(context), mayBeMissing: false };
  for (const template of templates.values()) {
    const variables = template.match(uri);
    if (variables === undefined) continue;
    return { ...template, read: ({ context }) => template.read(variables, context, uri), mayBeMissing: true };
  }
  return undefined;
}

function returned(invocation: Invocation, { record, cache, mayBeMissing }: Found, body: unknown): void {
  const { target, finish, registry } = invocation;
  if (body === undefined && mayBeMissing) return finish(missing(target));
  const marked = markedOf(body);
  if (marked?.kind === 'needs-input') return askByReturning(invocation, marked);
  const contents = partsOf(body as ResourceBody, target).map((part) => contentsOf(part, target, record.mimeType));
  finish({ kind: 'done', result: { contents }, cache: cache ?? registry.cache });
}

function partsOf(body: ResourceBody, uri: string): readonly ResourcePart[] {
  if (typeof body === 'string') return [{ text: body }];
  if (body instanceof Uint8Array) return [{ bytes: body }];
  if (Array.isArray(body)) return body;
  throw new Error(`resources[${JSON.stringify(uri)}]: a resource gives a string, a Uint8Array or a list of parts.`);
}

function contentsOf({ uri, mimeType, text, bytes, _meta }: ResourcePart, asked: string, usual: unknown): Fields {
  const type = mimeType ?? usual;
  return {
    uri: uri ?? asked,
    ...(type !== undefined && { mimeType: type }),
    ...(bytes === undefined ? { text: text ?? '' } : { blob: toBase64(bytes) }),
    ...(_meta && { _meta }),
  };
}
