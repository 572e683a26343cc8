/** Checks the document of a policy: its version, rules and tests. */
import { isScalar } from 'yaml';
import { type Condition, ConditionCompiler } from '../condition.ts';
import { maxRules, maxTests } from '../limits.ts';
import type { PolicyRule } from '../rule.ts';
import { type RuleReader, readRule } from './rule-reader.ts';
import { type PolicyNode, PolicySource } from './source.ts';
import { type PolicyTest, readTest } from './test-reader.ts';

/** A checked document. */
export interface PolicyDocument {
  readonly rules: readonly PolicyRule[];
  /** The compiled conditions, by the id of their rule. */
  readonly conditions: ReadonlyMap<string, Condition>;
  readonly tests: readonly PolicyTest[];
}

export function readDocument(text: string, fileName: string): PolicyDocument {
  const source = new PolicySource(text, fileName);
  const members = source.members(source.root, 'policy', ['version', 'description', 'rules', 'tests']);
  const version = members?.get('version')?.value;
  if (members !== undefined && !(isScalar(version) && version.value === 1)) {
    source.report(version ?? source.root, 'version', 'is not 1', 'Write version: 1.');
  }
  const description = members?.get('description');
  if (description !== undefined) source.text(description.value, 'description');
  const reader: RuleReader = { source, compiler: new ConditionCompiler(), conditions: new Map() };
  const rules = members === undefined ? [] : readRules(reader, members.get('rules')?.value);
  const tests = readTests(source, members?.get('tests')?.value, rules);
  source.finish();
  return { rules, conditions: reader.conditions, tests };
}

function readRules(reader: RuleReader, node: PolicyNode): readonly PolicyRule[] {
  const { source } = reader;
  if (node === undefined) source.report(source.root, 'rules', 'is missing', 'Write rules: []; it denies everything.');
  const nodes = node === undefined ? [] : (source.entries(node, 'rules', maxRules) ?? []);
  const first = new Map<string, PolicyRule>();
  for (const [at, one] of nodes.entries()) {
    const rule = readRule(reader, one, `rules[${at}]`);
    if (rule === undefined) continue;
    const same = first.get(rule.id);
    if (same === undefined) first.set(rule.id, rule);
    else source.report(one, `rules[${at}].id`, `is ${rule.id} again`, `It is the id of the rule in line ${same.line}.`);
  }
  return [...first.values()];
}

function readTests(source: PolicySource, node: PolicyNode, rules: readonly PolicyRule[]): readonly PolicyTest[] {
  if (node === undefined) return [];
  const nodes = source.entries(node, 'tests', maxTests) ?? [];
  // The id of a rule that could not be read is not known.
  const ids = source.valid ? rules.map(({ id }) => id) : undefined;
  return nodes.flatMap((one, at) => readTest(source, one, `tests[${at}]`, ids) ?? []);
}
