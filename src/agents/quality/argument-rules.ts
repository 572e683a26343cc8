/** Arguments that a model must fill in and knows nothing of. */
import { isRecord } from '../../lib/values/is.ts';
import type { CheckedTool } from './cost.ts';
import { finding, listed, type ToolFinding } from './finding.ts';

export const argumentFindings = (tools: readonly CheckedTool[]): ToolFinding[] => tools.flatMap(oneTool);

function oneTool({ name, inputSchema }: CheckedTool): ToolFinding[] {
  const { properties, required } = inputSchema as { readonly properties?: unknown; readonly required?: unknown };
  const defined = isRecord(properties) ? properties : {};
  const names = Array.isArray(required) ? required.filter((one) => typeof one === 'string') : [];
  const unknown = names.filter((one) => !Object.hasOwn(defined, one) && !definedElsewhere(inputSchema));
  const bare = names.filter((one) => Object.hasOwn(defined, one) && !isDescribed(defined[one]));
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
            `${bare.length === 1 ? 'The required argument' : 'The required arguments'} ${listed(bare)} ${bare.length === 1 ? 'has' : 'have'} no description.`,
            'Describe each: format, unit, where the value comes from.',
          ),
        ]),
  ];
}

const definedElsewhere = (schema: object): boolean =>
  ['allOf', 'anyOf', 'oneOf', '$ref', 'patternProperties'].some((keyword) => keyword in schema);

/** A reference, a constant and a list of values speak for themselves. */
const isDescribed = (schema: unknown): boolean =>
  isRecord(schema) &&
  ['description', 'title', '$ref', 'const', 'enum'].some(
    (keyword) => schema[keyword] !== undefined && schema[keyword] !== '',
  );
