/** A prompt: `prompt()` defines one, compiling reads its arguments from its schema, serving runs its handler. */

import type { Fields } from '../../lib/values/is.ts';
import { isRecord } from '../../lib/values/is.ts';
import type { Settled } from '../../ports/call-outcome.ts';
import { issueDetails } from '../../protocol/error-data.ts';
import { rpcError } from '../../protocol/errors.ts';
import { isPrompt } from '../../protocol/generated/record-checks.ts';
import { issuesText } from '../../schema/issues.ts';
import { readSchema, type SchemaReading } from '../../schema/reading.ts';
import { completers } from '../checks/completers.ts';
import { refused } from '../checks/definition-error.ts';
import { checkArguments, checkFields, checkName, checkPositive, checkRecord } from '../checks/definition-fields.ts';
import { notPrompt } from '../checks/returned-values.ts';
import { checkScopes } from '../checks/scopes.ts';
import type { CompiledPrompt } from '../definition/compiled.ts';
import { checkMessages } from '../definition/meta.ts';
import type { PromptDefinition, PromptHandler, PromptOptions, StringArguments } from '../definition/prompt.ts';
import { markedOf } from '../definition/returns.ts';
import { outcomeOfRequests } from '../server-requests/returned-requests.ts';
import { completeArgument } from './completion.ts';
import { done, type Invocation } from './invocation.ts';
import { startAllowed } from './judge.ts';
import { limitTime } from './time-limit.ts';

/**
 * Defines a prompt. The handler returns a string (one message of the user), a list of messages, or `promptResult(…)`.
 *
 * ```ts
 * prompt({ argsSchema: z.object({ city: z.string() }) }, ({ city }) => `Plan a trip to ${city}.`);
 * ```
 */
export const prompt = <Args extends StringArguments = StringArguments>(
  options: PromptOptions<Args>,
  run: PromptHandler<Args>,
): PromptDefinition<Args> => {
  checkArguments('prompt', options, run);
  return {
    kind: 'prompt',
    options,
    handler: run as PromptDefinition['handler'],
    compile: compilePrompt,
  };
};

interface GettablePrompt extends CompiledPrompt<Invocation>, Pick<PromptDefinition, 'handler'> {
  readonly name: string;
  readonly description: string | undefined;
  readonly args: SchemaReading | undefined;
}

const fields = [
  'title',
  'description',
  'icons',
  '_meta',
  'timeoutMs',
  'scopes',
  'argsSchema',
  'complete',
] as const satisfies readonly (keyof PromptOptions<StringArguments>)[];

function compilePrompt(name: string, source: PromptDefinition): GettablePrompt {
  checkName('prompts', name);
  checkFields(`prompts.${name}`, { ...source.options }, fields);
  const { argsSchema, complete = {}, timeoutMs, scopes: ownScopes, ...described } = source.options;
  checkPositive(`prompts.${name}.timeoutMs`, timeoutMs);
  const scopes = checkScopes(`prompts.${name}`, ownScopes);
  const args = argsSchema && readSchema(argsSchema, `prompts.${name}.argsSchema`);
  const promptArguments = args === undefined ? [] : argumentsOf(name, args.jsonSchema.input);
  const record = { ...described, name, ...(promptArguments.length > 0 && { arguments: promptArguments }) };
  checkRecord(`prompts.${name}`, record, isPrompt);
  const found = completers(
    `prompts.${name}`,
    complete,
    promptArguments.map((argument) => argument.name),
  );
  return {
    source,
    record,
    timeoutMs,
    scopes,
    name,
    description: described.description,
    args,
    handler: source.handler,
    completes: found.size > 0,
    serve: getPrompt,
    complete: (invocation) => completeArgument(invocation, found, timeoutMs, { prompt: name }),
  };
}

interface Argument extends Fields {
  name: string;
}

function argumentsOf(prompt: string, schema: Readonly<Fields>): Argument[] {
  const { properties, required } = schema;
  if (schema.type !== 'object' || !isRecord(properties)) {
    throw refused(
      `prompts.${prompt}.argsSchema does not describe an object with properties.`,
      'Write it as z.object({ name: z.string() }).',
    );
  }
  return Object.entries(properties).map(([name, property]) => {
    const { type, title, description, ...rest } = isRecord(property) ? property : {};
    const choices = rest.enum ?? ('const' in rest ? [rest.const] : undefined);
    const isText =
      type === 'string' || (Array.isArray(choices) && choices.every((choice) => typeof choice === 'string'));
    if (!isText) {
      const place = `prompts.${prompt}.argsSchema.${name}`;
      throw refused(
        `${place} is not a string. MCP sends the arguments of prompts as strings.`,
        stringHint(type),
        place,
      );
    }
    return {
      name,
      ...(typeof title === 'string' && { title }),
      ...(typeof description === 'string' && { description }),
      required: Array.isArray(required) && required.includes(name),
    };
  });
}

/** The hint for an argument of another type. A coercing schema, such as z.coerce.number(), takes other types too. */
const stringHint = (type: unknown): string =>
  type === 'number' || type === 'integer'
    ? 'Take a string and convert it, as in z.string().transform(Number).'
    : type === 'boolean'
      ? "Take a string and convert it, as in z.enum(['true', 'false']).transform((text) => text === 'true')."
      : 'Take a string, and convert it in the schema, as in z.string().transform(…), or in the handler.';

async function getPrompt(this: GettablePrompt, invocation: Invocation): Promise<Settled> {
  const { call, context, target, guarded } = invocation;
  limitTime(invocation, this.timeoutMs);
  const sent = call.params.arguments ?? {};
  const checked = this.args === undefined ? { ok: true as const, value: sent } : await this.args.validate(sent);
  if (!checked.ok)
    return rpcError(
      'invalid-params',
      `Invalid arguments for the prompt ${target}: ${issuesText(checked.issues)}`,
      issueDetails(checked.issues),
    );
  const args = checked.value;
  const refused = guarded && (await startAllowed(invocation, guarded, 'get', [{ prompt: this.name }], args));
  return refused ?? outcomeOf(invocation, this, await this.handler(args as never, context));
}

function outcomeOf(invocation: Invocation, { name, description }: GettablePrompt, value: unknown): Settled {
  const marked = markedOf(value);
  if (marked?.type === 'input-required') return outcomeOfRequests(invocation, marked);
  if (marked?.type === 'prompt') return done({ ...marked.result });
  const messages = typeof value === 'string' ? [{ role: 'user', content: { type: 'text', text: value } }] : value;
  if (!Array.isArray(messages)) throw notPrompt(`prompts.${name}`, value);
  checkMessages(messages);
  return done({ ...(description !== undefined && { description }), messages });
}
