/** The features of an upstream as the kernel uses them, from the lists of one owner. */
import type { RpcError } from '../../jsonrpc/errors.ts';
import type { Fields } from '../../lib/values/is.ts';
import { isRecord } from '../../lib/values/is.ts';
import { rpcError } from '../../protocol/errors.ts';
import type { Invocation } from '../../server/features/invocation.ts';
import {
  type RemoteFeature,
  remotePrompt,
  remoteResource,
  remoteTemplate,
  remoteTool,
} from '../../server/features/remote.ts';
import { type Catalogue, maxItemChars, type UpstreamFeatures } from '../catalogue/catalogue.ts';
import { recordWithUris } from '../catalogue/uris.ts';
import { forward } from './forward.ts';
import type { ForwardPorts } from './forward-ports.ts';

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
        if (catalogue.longest > maxItemChars && JSON.stringify(record).length > maxItemChars)
          throw new RangeError(`it has more than ${maxItemChars} characters.`);
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
    templates: all(templatesOf(catalogue, ports), 'uriTemplate', (record, own) => {
      const uriTemplate = uris.outward(own);
      const inwards = (sent: Fields): Fields => ({
        ...withRef(sent, (ref) => ({ ...ref, uri: own })),
        ...(typeof sent.uri === 'string' && { uri: uris.inward(sent.uri) }),
      });
      const listed = remoteOf(recordWithUris(record, uris.outward), 'template', own, inwards);
      const remote: RemoteFeature = {
        ...listed,
        forward: (invocation) => hiddenResource(ports, invocation) ?? listed.forward(invocation),
      };
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

/** A completion names the feature whose argument it completes. */
const withRef = (sent: Fields, change: (ref: Fields) => Fields): Fields =>
  isRecord(sent.ref) ? { ...sent, ref: change(sent.ref) } : sent;

/**
 * Templates of an upstream: every URI that is in no list is compared with each.
 * @limit gateway
 * @beyond the rest is not served
 */
const maxTemplates = 1000;

function templatesOf({ templates }: Catalogue, { upstream, dropped }: ForwardPorts): readonly Fields[] {
  if (templates.length <= maxTemplates) return templates;
  dropped('resources/templates/list', `${upstream} has more than ${maxTemplates} templates: the rest is left out.`);
  return templates.slice(0, maxTemplates);
}

/** What is hidden does not exist, also where a template leads to it. */
function hiddenResource({ hides, uris }: ForwardPorts, { call }: Invocation): RpcError | undefined {
  const { uri } = call.params;
  if (typeof uri !== 'string' || !hides(uris.inward(uri))) return undefined;
  return rpcError('resource-not-found', 'Resource not found', { uri });
}

/** `_meta` is passed on apart. */
function sentBy({ call }: Invocation): Fields {
  const { _meta, task: _task, ...params } = call.params;
  return params;
}
