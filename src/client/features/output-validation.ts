/** Validates structured output by the output schema of its tool. */
import { TenonError } from '../../lib/errors/tenon-error.ts';
import type { Fields } from '../../lib/values/is.ts';
import type { Tool } from '../../protocol/generated/types/records.ts';
import { issuesText } from '../../schema/issues.ts';
import { readSchema, type SchemaReading } from '../../schema/reading.ts';
import type { Schema } from '../../schema/standard.ts';
import { beginFlight, type Flight, isJoinable, joinFlight } from '../cache/flights.ts';

/** The output schema of a tool, compiled on first use: an invalid schema does not affect other tools. */
type OutputSchema = () => SchemaReading | undefined;

type OutputSchemas = ReadonlyMap<string, OutputSchema>;

/** Runs a function with a signal that is aborted when the call must not wait any longer. */
export type WithinCall = (wait: (signal: AbortSignal) => Promise<OutputSchemas>) => Promise<OutputSchemas>;

/**
 * Throws `invalid-result` for output that does not match the schema of the tool. Tools are listed on first use, and again
 * on a new connection, since the server may have changed. Calls share the list; each waits for it within its own limits.
 */
export function createOutputCheck(
  make: (schema: object) => Schema,
  listTools: (signal: AbortSignal) => Promise<Tool[]>,
  connection: () => unknown,
): (name: string, result: Fields, within: WithinCall) => Promise<void> {
  let known: OutputSchemas | undefined;
  let loading: Flight<OutputSchemas> | undefined;
  let listedOn: unknown;

  function load(): Flight<OutputSchemas> {
    listedOn = connection();
    const flight = beginFlight<OutputSchemas>(true, async ({ abandoned }) => {
      const tools = await listTools(abandoned.signal);
      return new Map(tools.map((tool) => [tool.name, outputSchemaOf(tool, make)]));
    });
    const loaded = (schemas?: OutputSchemas): void => {
      if (loading !== flight) return;
      loading = undefined;
      known = schemas;
    };
    loading = flight;
    // A failed list is requested again next time.
    flight.answer.then(loaded, () => loaded());
    return flight;
  }

  return async (name, { structuredContent, isError }, within) => {
    if (isError === true) return;
    if (listedOn !== connection()) {
      known = undefined;
      loading = undefined;
    }
    const wait = (flight: Flight<OutputSchemas>): Promise<OutputSchemas> =>
      within((signal) => joinFlight(flight, 'tools/call', { name }, signal));
    const joined = isJoinable(loading) ? loading : undefined;
    const wasKnown = known !== undefined || joined !== undefined;
    const problem = await problemOf((known ?? (await wait(joined ?? load()))).get(name), structuredContent);
    if (problem === undefined) return;
    // A tool may have changed since it was listed: the newest schema decides.
    const newest = (): Flight<OutputSchemas> => (loading !== joined && isJoinable(loading) ? loading : load());
    const still = wasKnown ? await problemOf((await wait(newest())).get(name), structuredContent) : problem;
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
