/** The features of an upstream as the kernel uses them, from the lists of one owner. */
import type { Fields } from '../../lib/values/is.ts';
import { isRecord } from '../../lib/values/is.ts';
import type { CallableTool, Compiled, CompiledPrompt, CompiledTemplate } from '../../server/definition/compiled.ts';
import type { Invocation } from '../../server/features/invocation.ts';
import {
  type RemoteFeature,
  remotePrompt,
  remoteResource,
  remoteTemplate,
  remoteTool,
} from '../../server/features/remote.ts';
import type { Catalogue } from '../catalogue/catalogue.ts';
import { type ForwardPorts, forward } from './forward.ts';
import { recordWithUris } from './uris.ts';

export interface UpstreamFeatures {
  readonly catalogue: Catalogue;
  /** Whether a tool runs as a task. */
  readonly hasTasks: boolean;
  readonly tools: ReadonlyMap<string, CallableTool<Invocation>>;
  readonly resources: ReadonlyMap<string, Compiled<Invocation>>;
  readonly templates: ReadonlyMap<string, CompiledTemplate<Invocation>>;
  readonly prompts: ReadonlyMap<string, CompiledPrompt<Invocation>>;
}

/** The names of callers for those of the upstream, for tools and prompts. */
export type ShownNames = ReadonlyMap<string, string>;

export function featuresOf(ports: ForwardPorts, catalogue: Catalogue, names: ShownNames): UpstreamFeatures {
  const { uris, upstream, tasks, dropped } = ports;
  const { completes } = catalogue;
  const remoteOf = (
    record: Fields,
    kind: string,
    name: string,
    paramsOf: (sent: Fields) => Fields,
    isTask = false,
  ): RemoteFeature => ({
    record,
    fingerprint: JSON.stringify([upstream, kind, name]),
    forward: (invocation) => forward(ports, invocation, paramsOf(sentBy(invocation)), isTask),
  });
  const all = <T>(
    list: readonly Fields[],
    key: string,
    make: (record: Fields, own: string) => readonly [string, T],
  ) => {
    const made = new Map<string, T>();
    for (const record of list) {
      const own = String(record[key]);
      try {
        const [name, one] = make(record, own);
        if (made.has(name)) dropped(key, `${upstream} lists ${name} twice.`);
        else made.set(name, one);
      } catch (error) {
        dropped(key, `${upstream}: ${own}: ${(error as Error).message}`);
      }
    }
    return made;
  };
  const shown = (own: string): string => names.get(own) ?? own;
  const withRef = (sent: Fields, change: (ref: Fields) => Fields): Fields =>
    isRecord(sent.ref) ? { ...sent, ref: change(sent.ref) } : sent;
  const tools = all(catalogue.tools, 'name', (record, own) => {
    const { execution, ...listed } = recordWithUris(record, uris.outward);
    const task = tasks.compiled(own, execution);
    const named = { ...listed, name: shown(own), ...(task && { execution: { taskSupport: 'optional' } }) };
    const remote = remoteOf(named, 'tool', own, (sent) => ({ ...sent, name: own }), task !== undefined);
    return [shown(own), remoteTool(shown(own), remote, task)];
  });
  return {
    catalogue,
    hasTasks: [...tools.values()].some(({ task }) => task !== undefined),
    tools,
    resources: all(catalogue.resources, 'uri', (record, own) => {
      const uri = uris.outward(own);
      return [
        uri,
        remoteResource(
          uri,
          remoteOf(recordWithUris(record, uris.outward), 'resource', own, (sent) => ({ ...sent, uri: own })),
        ),
      ];
    }),
    templates: all(catalogue.templates, 'uriTemplate', (record, own) => {
      const uriTemplate = uris.outward(own);
      const inwards = (sent: Fields): Fields => ({
        ...withRef(sent, (ref) => ({ ...ref, uri: own })),
        ...(typeof sent.uri === 'string' && { uri: uris.inward(sent.uri) }),
      });
      const remote = remoteOf(recordWithUris(record, uris.outward), 'template', own, inwards);
      return [uriTemplate, remoteTemplate(uriTemplate, remote, completes)];
    }),
    prompts: all(catalogue.prompts, 'name', (record, own) => {
      const inwards = (sent: Fields): Fields => ({
        ...withRef(sent, (ref) => ({ ...ref, name: own })),
        ...('name' in sent && { name: own }),
      });
      const remote = remoteOf({ ...record, name: shown(own) }, 'prompt', own, inwards);
      return [shown(own), remotePrompt(shown(own), remote, completes)];
    }),
  };
}

/** `_meta` is passed on apart. */
function sentBy({ call }: Invocation): Fields {
  const { _meta, task: _task, ...params } = call.params;
  return params;
}
