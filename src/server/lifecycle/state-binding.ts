/** The binding of the sealed state of a call: the state is valid for that call only. */
import { canonicalJson } from '../../lib/text/canonical-json.ts';
import type { Principal } from '../../ports/principal.ts';
import type { Incoming } from '../../protocol/neutral.ts';
import type { Compiled } from '../definition/compiled.ts';
import { targetOf } from '../ports/target.ts';
import { type Registry, resourceAt } from '../registry/registry.ts';
import type { StateBinding } from '../server-requests/sealed-state.ts';

export function bindingOf(registry: Registry, call: Incoming, principal: Principal | undefined): StateBinding {
  return {
    server: registry.info.name,
    principal: principal?.key ?? '',
    method: call.method,
    target: targetOf(call),
    arguments: call.params.arguments ?? null,
    definition: definitionOf(registry, call),
  };
}

/** The fingerprint or the record of the tool, prompt, resource or template that is called. */
function definitionOf(registry: Registry, call: Incoming): string {
  const called = calledIn(registry, call, targetOf(call));
  return called?.fingerprint ?? canonicalJson(called?.record ?? null);
}

function calledIn(
  registry: Registry,
  { method }: Incoming,
  target: string,
): Pick<Compiled, 'record' | 'fingerprint'> | undefined {
  if (method === 'tools/call') return registry.tools.get(target);
  if (method === 'prompts/get') return registry.prompts.get(target);
  return resourceAt(registry, target);
}
