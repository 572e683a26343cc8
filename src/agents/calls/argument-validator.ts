/** Compiles the schema of a server into a check of arguments. Loaded with the first call: an agent that only lists does not need it. */
import { fromJsonSchema } from '../../json-schema/index.ts';
import { issuesText } from '../../schema/issues.ts';
import { readValidator } from '../../schema/reading.ts';

/** What is wrong with arguments; `undefined` if nothing is. */
export type FindProblem = (args: unknown) => Promise<string | undefined>;

/** What our validator refuses to compile is left to the server, which checks the arguments itself. */
export function problemFinder(schema: object): FindProblem {
  try {
    const validate = readValidator(fromJsonSchema(schema), 'the arguments');
    return async (args) => {
      const validated = await validate(args);
      return validated.ok ? undefined : issuesText(validated.issues);
    };
  } catch {
    return async () => undefined;
  }
}
