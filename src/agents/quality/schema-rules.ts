/** Schemas that providers reject as they are: one such tool fails a whole request, with all other tools. */
import { lowerSchema } from '../schemas/lower-schema.ts';
import type { SchemaChange, SchemaTarget } from '../schemas/report.ts';
import type { CheckedTool } from './cost.ts';
import { type FindingLevel, finding, type ToolFinding } from './finding.ts';

interface Provider {
  readonly target: SchemaTarget;
  readonly name: string;
  /** What a change for it means. */
  readonly level: FindingLevel;
  /** Whether its API rejects what was changed; other changes keep the meaning safe, and are no findings. */
  rejects(change: SchemaChange): boolean;
}

/** At the root all unions are rejected; references that lead nowhere, and forms of older drafts, anywhere. */
const byAll = ({ path, rule, text }: SchemaChange): boolean =>
  rule === 'root-merged' ||
  rule === 'reference-removed' ||
  rule === 'keyword-removed' ||
  rule === 'argument-removed' ||
  (rule === 'keyword-described' && path === '') ||
  (rule === 'keyword-replaced' && text.includes('prefixItems'));

/** The rule `required-unknown` has it. */
const isUnknownAtRoot = ({ path, text }: SchemaChange): boolean =>
  path === '/required' && text.includes('without a property');

const providers: readonly Provider[] = [
  { target: 'anthropic', name: 'Anthropic', level: 'error', rejects: byAll },
  {
    target: 'openai',
    name: 'OpenAI',
    level: 'error',
    rejects: (change) => byAll(change) || change.rule === 'keyword-added',
  },
  {
    target: 'google',
    name: 'Gemini',
    // Its SDKs convert some of it, and its newer field for JSON Schema takes more.
    level: 'note',
    rejects: (change) =>
      !isUnknownAtRoot(change) && (byAll(change) || !['union-narrowed', 'argument-removed'].includes(change.rule)),
  },
];

export const schemaFindings = (tools: readonly CheckedTool[]): ToolFinding[] => tools.flatMap(oneTool);

function oneTool({ name, inputSchema }: CheckedTool): ToolFinding[] {
  const lowered = providers.map((provider) => ({ provider, result: lowerSchema(inputSchema, provider.target) }));
  const problems = lowered.flatMap(({ provider, result }) => ('problem' in result ? [{ provider, ...result }] : []));
  const [problem] = problems;
  if (problem !== undefined) {
    const isForAll = problems.length === providers.length;
    return [
      finding(
        'schema-unusable',
        name,
        isForAll ? problem.problem : `${problem.provider.name}: ${problem.problem}`,
        'Correct the schema. Clients leave the tool out, or every request with it fails.',
      ),
    ];
  }
  const rejected = lowered.flatMap(({ provider, result }) => {
    const changes = 'changes' in result ? result.changes.filter(provider.rejects).filter(hasFeature) : [];
    return changes.length === 0 ? [] : [{ provider, changes }];
  });
  return rejectedFindings(name, rejected);
}

interface Rejected {
  readonly provider: Provider;
  readonly changes: readonly SchemaChange[];
}

/** Providers with the same changes share a finding. */
function rejectedFindings(tool: string, rejected: readonly Rejected[]): ToolFinding[] {
  const groups = new Map<string, Rejected[]>();
  for (const one of rejected) {
    const key = featuresIn(one.changes);
    groups.set(key, [...(groups.get(key) ?? []), one]);
  }
  return [...groups].map(([features, group]) => {
    const names = group.map(({ provider }) => provider.name);
    const level = group.some(({ provider }) => provider.level === 'error') ? 'error' : 'note';
    const text = `${joined(names)} ${names.length === 1 ? 'does' : 'do'} not accept ${features}.`;
    return { ...finding('schema-rejected', tool, text, fixFor(level)), level };
  });
}

const joined = (names: readonly string[]): string =>
  names.length < 2 ? names.join('') : `${names.slice(0, -1).join(', ')} and ${names.at(-1)}`;

const fixFor = (level: FindingLevel): string =>
  level === 'error'
    ? 'Make the root one object with properties, give every array items, and follow JSON Schema 2020-12: not all clients change schemas.'
    : 'Clients have to change the schema. Keep to type, properties, required, enum, items and description where you can.';

/** Features that a finding names. */
const maxNamed = 5;

/** Each feature once, with the first place where it is used. */
function featuresIn(changes: readonly SchemaChange[]): string {
  const places = new Map<string, string>();
  for (const change of changes)
    for (const feature of featuresOf(change)) if (!places.has(feature)) places.set(feature, change.path);
  const shown = [...places]
    .slice(0, maxNamed)
    .map(([feature, path]) => `${feature}${path === '' ? '' : ` (${path.slice(0, maxPlace)})`}`);
  const more = places.size - shown.length;
  return `${shown.join(', ')}${more > 0 ? ` and ${more} more` : ''}`;
}

/** Characters of the place of a feature. */
const maxPlace = 120;

const hasFeature = (change: SchemaChange): boolean => featuresOf(change).length > 0;

/** What lowering took away, in the words of its report: `"oneOf" became "anyOf".` is about `oneOf`. */
function featuresOf({ rule, text }: SchemaChange): readonly string[] {
  if (rule === 'reference-inlined') return ['$ref'];
  if (rule === 'argument-removed') return ['the name of an argument'];
  const [before] = text.split(' became ');
  if (before === undefined || before === text)
    return [
      text
        .replace(/\.$/, '')
        .replace(/^The /, 'the ')
        .replace(/ is (?=not |no )/, ' that is '),
    ];
  const named = before.replaceAll('"', '').replace(/^An? /, (article) => article.toLowerCase());
  // Clients for Gemini remove `additionalProperties` anyway: nearly every schema has it.
  return rule === 'keyword-described' ? named.split(', ').filter((one) => one !== 'additionalProperties') : [named];
}
