/** Makes an extension ready: each of its methods has a handler, and schemas that both its ends are held against. */

import type { Extension, Method } from '../../protocol/extensions/extension.ts';
import { issuesText } from '../../schema/issues.ts';
import { readValidator } from '../../schema/reading.ts';
import { checkCache } from '../checks/cache-hint.ts';
import { refused } from '../checks/definition-error.ts';
import { checkPositive } from '../checks/validation.ts';
import type { CompiledExtension, CompiledMethod, Heard } from '../definition/compiled.ts';
import type { ServedExtension, Teller } from '../definition/extension.ts';
import type { Caller } from '../ports/caller.ts';
import { targetOf } from '../ports/target.ts';
import { type ServedMethod, serveMethod } from './extension.ts';
import type { Invocation } from './invocation.ts';

type Handler = (params: unknown, context: unknown) => unknown;

export function compileExtension({ extension, parts }: ServedExtension): CompiledExtension<Invocation> {
  const { id } = extension;
  const place = `extensions[${JSON.stringify(id ?? 'vendor')}]`;
  checkPositive(`${place}.timeoutMs`, parts.timeoutMs);
  checkCache(`${place}.cache`, parts.cache);
  const methods = Object.entries(extension.methods).map(([name, method]): [string, CompiledMethod] => {
    const handler = parts.methods?.[name];
    if (typeof handler !== 'function')
      throw refused(`${place}.methods.${name}: there is no handler.`, `Write methods: { ${name}: (params) => … }.`);
    return [method.method, readyMethod(place, extension, method, handler as Handler, parts)];
  });
  return { id, settings: parts.settings ?? {}, methods: new Map(methods), heard: heardBy(place, extension, parts) };
}

function readyMethod(
  place: string,
  extension: Extension,
  method: Method,
  handler: Handler,
  { cache, timeoutMs }: ServedExtension['parts'],
): CompiledMethod<Invocation> {
  const at = `${place}.${method.method}`;
  const kinds = Object.entries(method.resultKinds).map(
    ([kind, schema]) => [kind, readValidator(schema, `${at}, ${kind}`)] as const,
  );
  const served: ServedMethod = {
    extension,
    name: method.method,
    readParams: readValidator(method.params, `${at}, params`),
    readResult: readValidator(method.result, `${at}, result`),
    readKinds: new Map(kinds),
    handler,
    cache,
    timeoutMs,
  };
  return {
    offered: undefined,
    target: (params) => targetOf({ params }),
    limit: () => timeoutMs,
    run: (invocation) => serveMethod(invocation, served),
  };
}

/** Who hears what clients tell. What is told wrongly, or not by one that declared the extension, is dropped. */
function heardBy(place: string, extension: Extension, parts: ServedExtension['parts']): ReadonlyMap<string, Heard> {
  const handlers: Readonly<Record<string, Handler | undefined>> = { ...(parts.notifications as object) };
  const told = Object.entries(extension.notifications).filter(([, { from }]) => from === 'client');
  return new Map(
    told.map(([name, { method, params }]): [string, Heard] => {
      const read = readValidator(params, `${place}.${method}, params`);
      return [
        method,
        (caller, given, failed) => void hear(extension, method, read, handlers[name], caller, given, failed),
      ];
    }),
  );
}

async function hear(
  { id, undeclared }: Extension,
  method: string,
  read: ServedMethod['readParams'],
  handler: Handler | undefined,
  caller: Caller,
  given: Readonly<Record<string, unknown>>,
  failed: (error: unknown) => void,
): Promise<void> {
  const settings = id === undefined ? undefined : caller.capabilities.extensions?.[id];
  if (handler === undefined || (settings === undefined && undeclared !== 'served')) return;
  try {
    const { _meta, ...params } = given;
    const verdict = await read(params);
    if (!verdict.ok) throw new Error(`${method} was told wrongly: ${issuesText(verdict.issues)}`);
    const { revision, client, capabilities, principal } = caller;
    const by: Teller = { caller: { revision: revision.id, client, capabilities, principal }, settings };
    await handler(verdict.value, by);
  } catch (error) {
    failed(error);
  }
}
