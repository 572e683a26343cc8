/** Arguments that a model must fill in and knows nothing of. */
import { isRecord } from '../../lib/values/is.ts';
import { stem } from '../search/words.ts';
import type { CheckedTool } from './cost.ts';
import { finding, listed, type ToolFinding } from './finding.ts';
import { wordsIn } from './words.ts';

export const argumentFindings = (tools: readonly CheckedTool[]): ToolFinding[] => tools.flatMap(oneTool);

function oneTool({ name, description = '', inputSchema }: CheckedTool): ToolFinding[] {
  const { properties, required } = inputSchema as { readonly properties?: unknown; readonly required?: unknown };
  const defined = isRecord(properties) ? properties : {};
  const names = Array.isArray(required) ? required.filter((one) => typeof one === 'string') : [];
  const unknown = names.filter((one) => !Object.hasOwn(defined, one) && !definedElsewhere(inputSchema));
  const spoken = new Set(wordsIn(description).map(stem));
  const isNamed = (one: string): boolean => wordsIn(one).every((word) => spoken.has(stem(word)));
  const bare = names.filter((one) => Object.hasOwn(defined, one) && !isDescribed(defined[one]) && !isNamed(one));
  return [
    ...(unknown.length === 0
      ? []
      : [
          finding(
            'required-unknown',
            name,
            `The input schema requires ${listed(unknown)} and has no such property.`,
            'Define it in properties, or take it out of required.',
          ),
        ]),
    ...(bare.length === 0
      ? []
      : [
          finding(
            'arguments-undescribed',
            name,
            `Required and not described: ${listed(bare)}. The description of the tool does not name ${bare.length === 1 ? 'it' : 'them'} either.`,
            'Describe each: format, unit, where the value comes from.',
          ),
        ]),
  ];
}

const definedElsewhere = (schema: object): boolean =>
  ['allOf', 'anyOf', 'oneOf', '$ref', 'patternProperties'].some((keyword) => keyword in schema);

/** A reference, a constant and a list of values speak for themselves; a list or an object is described by what is in it. */
const isDescribed = (schema: unknown, depth = 0): boolean =>
  isRecord(schema) &&
  depth < deepest &&
  (speaking.some((keyword) => isSpoken(schema[keyword])) ||
    partsOf(schema).some((part) => isDescribed(part, depth + 1)));

const deepest = 5;

const speaking = ['description', 'title', '$ref', 'const', 'enum', 'format', 'pattern'];

const isSpoken = (value: unknown): boolean => value !== undefined && value !== '';

const partsOf = ({ items, properties, anyOf, oneOf }: Readonly<Record<string, unknown>>): unknown[] => [
  items,
  ...(isRecord(properties) ? Object.values(properties) : []),
  ...[anyOf, oneOf].flatMap((parts) => (Array.isArray(parts) ? parts : [])),
];
