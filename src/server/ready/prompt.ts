/** A prompt made ready: its arguments read from its schema, its record written. */
import { TenonError } from '../../jsonrpc/errors.ts';
import { isPrompt } from '../../protocol/generated/record-checks.ts';
import { isRecord } from '../../protocol/model/primitives.ts';
import type { Fields } from '../../protocol/neutral.ts';
import { readSchema, type SchemaReading } from '../../schema/reading.ts';
import type { Prompt } from '../definition/prompt.ts';
import type { Completer } from '../definition/resource.ts';
import { completers } from './resource.ts';
import { checkDefined, checkName, checkRecord } from './soundness.ts';

export interface ReadyPrompt {
  readonly source: Prompt;
  readonly name: string;
  readonly record: Fields;
  readonly args: SchemaReading | undefined;
  readonly complete: ReadonlyMap<string, Completer>;
  readonly run: Prompt['run'];
}

export function readyPrompt(name: string, source: Prompt): ReadyPrompt {
  checkName('prompts', name);
  checkDefined(`prompts.${name}`, source, 'prompt', 'run');
  const { args, complete = {}, ...described } = source.facts;
  const read = args && readSchema(args, `prompts.${name}.args`);
  const taken = read === undefined ? [] : argumentsOf(name, read.jsonSchema.input);
  const record = { ...described, name, ...(taken.length > 0 && { arguments: taken }) };
  checkRecord(`prompts.${name}`, record, isPrompt);
  return {
    source,
    name,
    record,
    args: read,
    complete: completers(
      `prompts.${name}`,
      complete,
      taken.map(({ name }) => name),
    ),
    run: source.run,
  };
}

interface Argument extends Fields {
  name: string;
}

function argumentsOf(prompt: string, schema: Readonly<Fields>): Argument[] {
  const { properties, required } = schema;
  if (schema.type !== 'object' || !isRecord(properties)) {
    throw new TenonError(
      'invalid-definition',
      `prompts.${prompt}.args: the schema is not of an object with properties.`,
      {
        hint: 'Describe each argument by its name.',
      },
    );
  }
  return Object.entries(properties).map(([name, property]) => {
    const { type, title, description, ...rest } = isRecord(property) ? property : {};
    const choices = rest.enum ?? ('const' in rest ? [rest.const] : undefined);
    const isText =
      type === 'string' || (Array.isArray(choices) && choices.every((choice) => typeof choice === 'string'));
    if (!isText) {
      throw new TenonError('invalid-definition', `prompts.${prompt}.args.${name}: not a string.`, {
        hint: 'Arguments of prompts are strings on the wire; take a string and convert it in the schema or the handler.',
      });
    }
    return {
      name,
      ...(typeof title === 'string' && { title }),
      ...(typeof description === 'string' && { description }),
      required: Array.isArray(required) && required.includes(name),
    };
  });
}
