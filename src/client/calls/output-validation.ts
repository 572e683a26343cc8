/** Validates structured output by the output schema of its tool. */
import { TenonError } from '../../jsonrpc/errors.ts';
import type { Tool } from '../../protocol/generated/types/records.ts';
import type { Fields } from '../../protocol/neutral.ts';
import { issuesText } from '../../schema/issues.ts';
import { readSchema, type SchemaReading } from '../../schema/reading.ts';
import type { Schema } from '../../schema/standard.ts';

/** The output schema of a tool, compiled on first use: an invalid schema does not affect other tools. */
type OutputSchema = () => SchemaReading | undefined;

/**
 * Throws `invalid-result` for output that does not match the schema of the tool. Tools are listed on first use, and again
 * on a new connection, since the server may have changed.
 */
export function createOutputCheck(
  make: ((schema: object) => Schema) | undefined,
  listTools: () => Promise<Tool[]>,
  connection: () => unknown,
): (name: string, result: Fields) => Promise<void> {
  if (make === undefined) return async () => {};
  let known: Promise<ReadonlyMap<string, OutputSchema>> | undefined;
  let listedOn: unknown;

  const load = async (): Promise<ReadonlyMap<string, OutputSchema>> =>
    new Map((await listTools()).map((tool) => [tool.name, outputSchemaOf(tool, make)]));

  function outputSchemas(anew: boolean): Promise<ReadonlyMap<string, OutputSchema>> {
    if (known !== undefined && !anew) return known;
    const loading = load();
    listedOn = connection();
    known = loading;
    // A failed list is requested again next time.
    loading.catch(() => known === loading && (known = undefined));
    return loading;
  }

  return async (name, { structuredContent, isError }) => {
    if (isError === true) return;
    if (listedOn !== connection()) known = undefined;
    const wasKnown = known !== undefined;
    const problem = await problemOf((await outputSchemas(false)).get(name), structuredContent);
    if (problem === undefined) return;
    // A tool may have changed since it was listed: the newest schema decides.
    const still = wasKnown ? await problemOf((await outputSchemas(true)).get(name), structuredContent) : problem;
    if (still !== undefined) throw invalid(name, still);
  };
}

function outputSchemaOf({ name, outputSchema }: Tool, make: (schema: object) => Schema): OutputSchema {
  let reading: SchemaReading | undefined;
  return () => {
    if (outputSchema === undefined) return undefined;
    reading ??= readSchema(make(outputSchema), `the output of ${name}`);
    return reading;
  };
}

/** The problem of an output, if any; a tool that is not listed has no schema. */
async function problemOf(promised: OutputSchema | undefined, output: unknown): Promise<string | undefined> {
  const schema = promised?.();
  if (schema === undefined) return undefined;
  if (output === undefined) return 'there is no structured content';
  const validation = await schema.validate(output);
  return validation.ok ? undefined : issuesText(validation.issues);
}

const invalid = (name: string, problem: string): TenonError =>
  new TenonError('invalid-result', `The output of ${name} does not match its schema: ${problem}`, {
    details: { tool: name },
  });
