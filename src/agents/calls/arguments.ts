/** The arguments of a call: read from what the model wrote, and checked by the schema of the server. */
import { isRecord } from '../../lib/values/is.ts';
import { issuesText } from '../../schema/issues.ts';
import { readValidator } from '../../schema/reading.ts';
import { withoutUnsetNulls } from '../schemas/nulls.ts';

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

type Validate = ReturnType<typeof readValidator>;

/** Checks arguments by the schemas of servers, each compiled once, when it is first needed. */
export function createArgumentCheck(): {
  /** The arguments as they are sent, or what is wrong with them. */
  check(
    schema: object,
    args: Record<string, unknown>,
  ): Promise<{ readonly args: Record<string, unknown> } | { readonly problem: string }>;
} {
  const compiled = new Map<string, Promise<Validate | undefined>>();

  function validatorOf(schema: object): Promise<Validate | undefined> {
    const text = JSON.stringify(schema);
    const known = compiled.get(text);
    if (known !== undefined) return known;
    for (const [oldest] of compiled) if (compiled.size >= maxCompiledSchemas) compiled.delete(oldest);
    const made = compile(schema);
    compiled.set(text, made);
    return made;
  }

  return {
    async check(schema, given) {
      const args = withoutUnsetNulls(given, schema) as Record<string, unknown>;
      const validate = await validatorOf(schema);
      const validated = await validate?.(args);
      return validated === undefined || validated.ok ? { args } : { problem: issuesText(validated.issues) };
    },
  };
}

/** What our validator refuses to compile is left to the server, which checks the arguments itself. */
async function compile(schema: object): Promise<Validate | undefined> {
  // Loaded when the first tool is called: an agent that only lists does not need it.
  const { fromJsonSchema } = await import('../../json-schema/index.ts');
  try {
    return readValidator(fromJsonSchema(schema), 'the arguments');
  } catch {
    return undefined;
  }
}
