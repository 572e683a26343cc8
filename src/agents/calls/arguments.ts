/** The arguments of a call: read from what the model wrote, and checked by the schema of the server. */
import { isRecord } from '../../lib/values/is.ts';
import { withoutUnsetNulls } from '../schemas/nulls.ts';
import type { FindProblem } from './argument-validator.ts';

/** An object, from an object or from JSON. Nothing at all is an empty object. */
export function readArguments(
  given: unknown,
): { readonly args: Record<string, unknown> } | { readonly problem: string } {
  if (given === undefined || given === null || given === '') return { args: {} };
  let value = given;
  if (typeof given === 'string') {
    try {
      value = JSON.parse(given);
    } catch {
      return { problem: 'The arguments are not valid JSON. Nothing ran. Write them again as one JSON object.' };
    }
  }
  if (isRecord(value)) return { args: value };
  return { problem: 'The arguments must be one JSON object. Nothing ran. Write them again.' };
}

/**
 * Schemas that are compiled.
 * @limit agents
 * @beyond the oldest is compiled again when it is needed
 */
export const maxCompiledSchemas = 500;

/** Checks arguments by the schemas of servers, each compiled once, when it is first needed. */
export function createArgumentCheck(): {
  /** The arguments as they are sent, or what is wrong with them. */
  check(
    schema: object,
    args: Record<string, unknown>,
  ): Promise<{ readonly args: Record<string, unknown> } | { readonly problem: string }>;
} {
  const compiled = new Map<string, Promise<FindProblem>>();

  function finderFor(schema: object): Promise<FindProblem> {
    const text = JSON.stringify(schema);
    const known = compiled.get(text);
    if (known !== undefined) return known;
    for (const [oldest] of compiled) if (compiled.size >= maxCompiledSchemas) compiled.delete(oldest);
    const made = import('./argument-validator.ts').then(({ problemFinder }) => problemFinder(schema));
    compiled.set(text, made);
    return made;
  }

  return {
    async check(schema, given) {
      const args = withoutUnsetNulls(given, schema) as Record<string, unknown>;
      const find = await finderFor(schema);
      const problem = await find(args);
      return problem === undefined ? { args } : { problem };
    },
  };
}
