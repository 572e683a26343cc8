/** All extensions of a server together: the declared settings, the methods by name, and their resources. */

import type { ExtensionDefinition } from '../../protocol/extensions/extension.ts';
import { refused } from '../checks/definition-error.ts';
import type { CompiledExtension, CompiledMethod, NotificationReceiver } from '../definition/compiled.ts';
import { isServedList, type ServerExtensions } from '../definition/extension.ts';
import type { Resources, ServerDefinition } from '../definition/server.ts';
import type { Invocation } from '../features/invocation.ts';

export interface CompiledExtensions {
  /** The settings that the server declares, by identifier; `undefined` without extensions. */
  readonly declared: Record<string, Record<string, unknown>> | undefined;
  readonly methods: ReadonlyMap<string, CompiledMethod<Invocation>>;
  readonly notifications: ReadonlyMap<string, NotificationReceiver>;
}

export function compileExtensions(extensions: ServerExtensions | undefined): CompiledExtensions {
  if (!isServedList(extensions))
    return { declared: extensions && { ...extensions }, methods: new Map(), notifications: new Map() };
  const compiled = extensions.map((each) => each.compile(each) as CompiledExtension<Invocation>);
  const declared = compiled.flatMap(({ id, settings }) => (id === undefined ? [] : [[id, settings] as const]));
  refuseDuplicates(declared.map(([id]) => id));
  refuseDuplicates(compiled.flatMap(({ methods }) => [...methods.keys()]));
  return {
    declared:
      declared.length === 0 ? undefined : Object.fromEntries(declared.map(([id, settings]) => [id, { ...settings }])),
    methods: new Map(compiled.flatMap(({ methods }) => [...methods])),
    notifications: new Map(compiled.flatMap(({ notifications }) => [...notifications])),
  };
}

function refuseDuplicates(names: readonly string[]): void {
  const duplicate = names.find((name, at) => names.indexOf(name) !== at);
  if (duplicate === undefined) return;
  throw refused(`extensions: ${JSON.stringify(duplicate)} is listed twice.`, 'Remove one of the two.');
}

/** The definitions of the extensions, whose messages revisions include. */
export const contractsOf = (extensions: ServerExtensions | undefined): readonly ExtensionDefinition[] =>
  isServedList(extensions) ? extensions.map(({ extension }) => extension) : [];

/** The definition with the resources of its extensions. */
export function withExtensionResources(definition: ServerDefinition): ServerDefinition {
  const { extensions } = definition;
  if (!isServedList(extensions)) return definition;
  const resources: Record<string, Resources[string]> = { ...definition.resources };
  let isNamed = definition.resources !== undefined;
  for (const { extension, options } of extensions) {
    for (const [uri, one] of Object.entries(options.resources ?? {})) {
      if (resources[uri] !== undefined)
        throw refused(
          `extensions: the resource ${uri} of ${extension.id} exists already.`,
          'Change one of the two URIs.',
        );
      resources[uri] = one;
    }
    isNamed ||= options.resources !== undefined;
  }
  return isNamed ? { ...definition, resources } : definition;
}
