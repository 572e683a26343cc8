/** Lowers the schema of a tool to what a provider accepts, with a report. The server's own schema still decides what is sent. */
import { toGoogle } from './google.ts';
import { withArgumentNames } from './names.ts';
import type { Node } from './nodes.ts';
import { toOpenAI } from './openai.ts';
import { toPlain } from './plain.ts';
import { problemOf } from './problem.ts';
import { createReport, type SchemaChange, type SchemaTarget } from './report.ts';
import { toObjectRoot } from './root.ts';
import { toStrict } from './strict.ts';

/** A schema that a provider accepts. */
export interface LoweredSchema {
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
  const plain = toObjectRoot(toPlain(schema as Node, report), report);
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
