/** Makes a prompt ready: its arguments are read from its schema, its record is written. */

import { isPrompt } from '../../protocol/generated/record-checks.ts';
import { isRecord } from '../../protocol/model/primitives.ts';
import type { Fields } from '../../protocol/neutral.ts';
import { readSchema } from '../../schema/reading.ts';
import { completers } from '../checks/completers.ts';
import { refused } from '../checks/definition-error.ts';
import { checkName, checkPositive, checkRecord } from '../checks/validation.ts';
import type { CompiledPrompt } from '../definition/compiled.ts';
import type { Prompt } from '../definition/prompt.ts';
import { completeArgument } from './completion.ts';
import type { Invocation } from './invocation.ts';
import { type GettablePrompt, getPrompt } from './prompt.ts';

export function compilePrompt(name: string, source: Prompt): CompiledPrompt<Invocation> {
  checkName('prompts', name);
  const { args, complete = {}, timeoutMs, ...described } = source.facts;
  checkPositive(`prompts.${name}.timeoutMs`, timeoutMs);
  const read = args && readSchema(args, `prompts.${name}.args`);
  const taken = read === undefined ? [] : argumentsOf(name, read.jsonSchema.input);
  const record = { ...described, name, ...(taken.length > 0 && { arguments: taken }) };
  checkRecord(`prompts.${name}`, record, isPrompt);
  const prompt: GettablePrompt = { name, description: described.description, args: read, timeoutMs, run: source.run };
  const names = taken.map((argument) => argument.name);
  const found = completers(`prompts.${name}`, complete, names);
  return {
    source,
    record,
    timeoutMs,
    completes: found.size > 0,
    serve: (invocation) => getPrompt(invocation, prompt),
    complete: (invocation) => completeArgument(invocation, found, timeoutMs),
  };
}

interface Argument extends Fields {
  name: string;
}

function argumentsOf(prompt: string, schema: Readonly<Fields>): Argument[] {
  const { properties, required } = schema;
  if (schema.type !== 'object' || !isRecord(properties)) {
    throw refused(
      `prompts.${prompt}.args: the schema is not of an object with properties.`,
      'Describe each argument by its name.',
    );
  }
  return Object.entries(properties).map(([name, property]) => {
    const { type, title, description, ...rest } = isRecord(property) ? property : {};
    const choices = rest.enum ?? ('const' in rest ? [rest.const] : undefined);
    const isText =
      type === 'string' || (Array.isArray(choices) && choices.every((choice) => typeof choice === 'string'));
    if (!isText) {
      throw refused(
        `prompts.${prompt}.args.${name}: not a string.`,
        'Arguments of prompts are strings on the wire; take a string and convert it in the schema or the handler.',
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
