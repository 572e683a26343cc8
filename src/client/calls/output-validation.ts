/** Holds structured output against the output schema of its tool. */
import { TenonError } from '../../jsonrpc/errors.ts';
import type { Tool } from '../../protocol/generated/types/records.ts';
import type { Fields } from '../../protocol/neutral.ts';
import { issuesText } from '../../schema/issues.ts';
import { readSchema, type SchemaReading } from '../../schema/reading.ts';
import type { Schema } from '../../schema/standard.ts';

/** What a tool promises, read when first held against something: one bad schema is no reason to distrust the rest. */
type Promised = () => SchemaReading | undefined;

/**
 * Throws `invalid-result` for output that is not what the tool promises. Tools are listed when first needed, and anew
 * when `connection` is another one: the server may be too.
 */
export function createOutputCheck(
  make: ((schema: object) => Schema) | undefined,
  listTools: () => Promise<Tool[]>,
  connection: () => unknown,
): (name: string, result: Fields) => Promise<void> {
  if (make === undefined) return async () => {};
  let known: Promise<ReadonlyMap<string, Promised>> | undefined;
  let heldOf: unknown;

  const load = async (): Promise<ReadonlyMap<string, Promised>> =>
    new Map((await listTools()).map((tool) => [tool.name, promisedBy(tool, make)]));

  function promises(anew: boolean): Promise<ReadonlyMap<string, Promised>> {
    if (known !== undefined && !anew) return known;
    const loading = load();
    heldOf = connection();
    known = loading;
    // A list that could not be had is asked for again next time.
    loading.catch(() => known === loading && (known = undefined));
    return loading;
  }

  return async (name, { structuredContent, isError }) => {
    if (isError === true) return;
    if (heldOf !== connection()) known = undefined;
    const wasKnown = known !== undefined;
    const problem = await problemOf((await promises(false)).get(name), structuredContent);
    if (problem === undefined) return;
    // A tool may have changed since it was listed: only what its newest promise refuses is refused.
    const still = wasKnown ? await problemOf((await promises(true)).get(name), structuredContent) : problem;
    if (still !== undefined) throw invalid(name, still);
  };
}

function promisedBy({ name, outputSchema }: Tool, make: (schema: object) => Schema): Promised {
  let reading: SchemaReading | undefined;
  return () => {
    if (outputSchema === undefined) return undefined;
    reading ??= readSchema(make(outputSchema), `the output of ${name}`);
    return reading;
  };
}

/** What is wrong with an output, if anything is; a tool nobody listed promises nothing. */
async function problemOf(promised: Promised | undefined, output: unknown): Promise<string | undefined> {
  const schema = promised?.();
  if (schema === undefined) return undefined;
  if (output === undefined) return 'there is no structured content';
  const verdict = await schema.validate(output);
  return verdict.ok ? undefined : issuesText(verdict.issues);
}

const invalid = (name: string, problem: string): TenonError =>
  new TenonError('invalid-result', `The output of ${name} is not what its schema promises: ${problem}`, {
    details: { tool: name },
  });
