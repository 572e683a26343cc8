/** Lowers the schema of a tool to what a provider accepts, with a report. The server's own schema still decides what is sent. */

import { isRecord } from '../../lib/values/is.ts';
import { toGoogle } from './google.ts';
import { below, type Node } from './nodes.ts';
import { toOpenAI } from './openai.ts';
import { toPlain } from './plain.ts';
import { problemOf } from './problem.ts';
import { createReport, type Report, type SchemaChange, type SchemaTarget } from './report.ts';
import { toObjectRoot } from './root.ts';
import { toStrict } from './strict.ts';

/** A schema that a provider accepts. */
export interface LoweredSchema {
  /** The schema for the provider. */
  readonly schema: Readonly<Record<string, unknown>>;
  /** What differs from the schema of the server. Most changes accept more than before; `losesValues` has the others. */
  readonly changes: readonly SchemaChange[];
  /** Whether `openai-strict` has a form for it. */
  readonly isStrict: boolean;
}

/** Pure: the same schema and target have the same result. `problem` says why the tool has to be left out. */
export function lowerSchema(schema: object, target: SchemaTarget): LoweredSchema | { readonly problem: string } {
  const problem = problemOf(schema);
  if (problem !== undefined) return { problem };
  const report = createReport(target);
  const root = toObjectRoot(toPlain(schema as Node, report), report);
  // OpenAI refuses an object at the root that has none.
  const plain = { ...root, properties: root.properties ?? {} };
  switch (target) {
    case 'any':
      return { schema: plain, changes: report.changes, isStrict: false };
    case 'anthropic': {
      const named = withArgumentNames(plain, report);
      return 'problem' in named ? named : { schema: named.node, changes: report.changes, isStrict: false };
    }
    case 'google':
      return { schema: toGoogle(plain, report), changes: report.changes, isStrict: false };
    case 'openai':
    case 'openai-strict': {
      const lowered = toOpenAI(plain, report);
      if (target === 'openai') return { schema: lowered, changes: report.changes, isStrict: false };
      const strict = toStrict(lowered, report);
      if (!('formless' in strict && typeof strict.formless === 'string'))
        return { schema: strict as Node, changes: report.changes, isStrict: true };
      report.add('', 'not-strict', `There is no strict form: ${strict.formless}.`);
      return { schema: lowered, changes: report.changes, isStrict: false };
    }
  }
}

/** Names of arguments that the API of Anthropic takes. */
const accepted = /^[a-zA-Z0-9_.-]{1,64}$/;

/** Without optional arguments that have such a name. A required one leaves the tool out. */
function withArgumentNames(root: Node, report: Report): { readonly node: Node } | { readonly problem: string } {
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
