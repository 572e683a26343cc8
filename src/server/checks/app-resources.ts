/** Rejects tools whose app does not exist. */
import { uiOf } from '../../protocol/apps.ts';
import type { Compiled, CompiledTemplate } from '../definition/compiled.ts';
import { refused } from './definition-error.ts';

interface Features {
  readonly tools: ReadonlyMap<string, Pick<Compiled, 'record'>>;
  readonly resources: ReadonlyMap<string, unknown>;
  readonly templates: ReadonlyMap<string, Pick<CompiledTemplate, 'match'>>;
}

/** A tool's `_meta.ui.resourceUri` names a resource of the server, listed or by a template. */
export function checkAppResources({ tools, resources, templates }: Features): void {
  for (const [name, { record }] of tools) {
    const { resourceUri: uri } = uiOf(record._meta);
    if (uri === undefined) continue;
    const place = `tools.${name}._meta.ui.resourceUri`;
    if (typeof uri !== 'string' || !uri.startsWith('ui://'))
      throw refused(`${place}: the URI of an app begins with ui://.`, 'Use the URI of a resource, such as ui://NAME.');
    if (resources.has(uri) || [...templates.values()].some(({ match }) => match(uri) !== undefined)) continue;
    throw refused(`${place}: there is no resource ${uri}.`, `Add it: resources: { '${uri}': app(…) }.`);
  }
}
