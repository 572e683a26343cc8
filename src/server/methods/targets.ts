/** Finds what a call is for and has it serve; what it is made of came with its definition. */
import { rpcError } from '../../protocol/errors.ts';
import type { Fields } from '../../protocol/neutral.ts';
import type { Registry } from '../registry.ts';
import { type Invocation, resourceMissing } from './invocation.ts';

export function toTool(invocation: Invocation, { tools }: Registry): void {
  const { target } = invocation;
  const tool = tools.get(target);
  if (tool !== undefined) return tool.serve(invocation);
  invocation.finish(rpcError('tool-not-found', `Unknown tool: ${target}`, { availableTools: [...tools.keys()] }));
}

export function toPrompt(invocation: Invocation, { prompts }: Registry): void {
  const { target } = invocation;
  const prompt = prompts.get(target);
  if (prompt !== undefined) return prompt.serve(invocation);
  invocation.finish(rpcError('prompt-not-found', `Unknown prompt: ${target}`));
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

export function toCompletable(invocation: Invocation, { prompts, templates }: Registry): void {
  const { type, name, uri } = invocation.call.params.ref as Fields;
  const found = type === 'ref/prompt' ? prompts.get(name as string) : templates.get(uri as string);
  if (found !== undefined) return found.complete(invocation);
  invocation.finish(rpcError('invalid-params', `There is nothing to complete at ${String(name ?? uri)}`));
}
