/** Finds what a call is for and has it serve; what it is made of came with its definition. */
import { rpcError } from '../../protocol/errors.ts';
import { idempotencyKey } from '../../protocol/meta-keys.ts';
import type { Fields } from '../../protocol/neutral.ts';
import { shown } from '../../protocol/shown.ts';
import type { Completable } from '../definition/compiled.ts';
import { type Invocation, resourceMissing } from '../features/invocation.ts';
import { type Registry, resourceAt } from '../registry/registry.ts';

export function toTool(invocation: Invocation, { tools }: Registry): void {
  const { target } = invocation;
  const tool = tools.get(target);
  if (tool !== undefined) {
    const { once } = invocation.terms;
    if (once === undefined || invocation.call.meta[idempotencyKey] === undefined) return tool.serve(invocation);
    return once.serve(invocation, () => tool.serve(invocation));
  }
  invocation.finish(
    rpcError('tool-not-found', `Unknown tool: ${shown(target)}`, { availableTools: [...tools.keys()] }),
  );
}

export function toPrompt(invocation: Invocation, { prompts }: Registry): void {
  const { target } = invocation;
  const prompt = prompts.get(target);
  if (prompt !== undefined) return prompt.serve(invocation);
  invocation.finish(rpcError('prompt-not-found', `Unknown prompt: ${shown(target)}`));
}

/** A fixed resource, or the first template that the URI matches. */
export function toResource(invocation: Invocation, { resources, templates }: Registry): void {
  const { target } = invocation;
  const fixed = resources.get(target);
  if (fixed !== undefined) return fixed.serve(invocation);
  for (const template of templates.values()) {
    const variables = template.match(target);
    if (variables !== undefined) return template.serve(invocation, variables);
  }
  invocation.finish(resourceMissing(target));
}

export function toCompletable(invocation: Invocation, registry: Registry): void {
  const { target } = invocation;
  const found = completableAt(registry, invocation);
  if (found !== undefined) return found.complete(invocation);
  invocation.finish(rpcError('invalid-params', `There is nothing to complete at ${shown(target)}`));
}

const completableAt = (
  { prompts, templates }: Registry,
  { call, target }: Invocation,
): Completable<Invocation> | undefined =>
  (call.params.ref as Fields).type === 'ref/prompt' ? prompts.get(target) : templates.get(target);

/** The time that what is called sets itself, if any. */
type LimitOf = (registry: Registry, invocation: Invocation) => number | undefined;

export const limitOfTool: LimitOf = ({ tools }, { target }) => tools.get(target)?.timeoutMs;
export const limitOfPrompt: LimitOf = ({ prompts }, { target }) => prompts.get(target)?.timeoutMs;
export const limitOfResource: LimitOf = (registry, { target }) => resourceAt(registry, target)?.timeoutMs;
export const limitOfCompletable: LimitOf = (registry, run) => completableAt(registry, run)?.timeoutMs;
