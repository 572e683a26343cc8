/** For Anthropic: arguments whose name its API refuses. */
import { isRecord } from '../../lib/values/is.ts';
import { below, type Node } from './nodes.ts';
import type { Report } from './report.ts';

const accepted = /^[a-zA-Z0-9_.-]{1,64}$/;

/** Without optional arguments that have such a name. A required one leaves the tool out. */
export function withArgumentNames(root: Node, report: Report): { readonly node: Node } | { readonly problem: string } {
  const properties = isRecord(root.properties) ? root.properties : {};
  const refused = Object.keys(properties).filter((name) => !accepted.test(name));
  if (refused.length === 0) return { node: root };
  const required: readonly unknown[] = Array.isArray(root.required) ? root.required : [];
  const needed = refused.find((name) => required.includes(name));
  if (needed !== undefined)
    return { problem: `The argument ${JSON.stringify(needed.slice(0, 80))} has a name that Anthropic refuses.` };
  for (const name of refused)
    report.add(below('/properties', name), 'argument-removed', 'Anthropic refuses the name of this argument.');
  const kept = Object.fromEntries(Object.entries(properties).filter(([name]) => accepted.test(name)));
  return { node: { ...root, properties: kept } };
}
