/** What can stand at the end of a line of `tenon repl`: commands, names of the server, arguments and their values. */
import type { Client } from '../../../client/api/client.ts';
import { type FormField, planForm } from '../../../json-schema/form-plan.ts';
import type { CompletedLine } from '../../io/io.ts';

/** Names of a server, by the command that takes them. */
const named: Readonly<Record<string, (client: Client) => Promise<readonly string[]>>> = {
  tools: async (client) => (await client.tools.list().all()).map(({ name }) => name),
  prompts: async (client) => (await client.prompts.list().all()).map(({ name }) => name),
  resources: async (client) => (await client.resources.list().all()).map(({ uri }) => uri),
};

const namesFor: Readonly<Record<string, keyof typeof named>> = {
  tools: 'tools',
  call: 'tools',
  prompts: 'prompts',
  get: 'prompts',
  resources: 'resources',
  read: 'resources',
};

/** A server that does not answer completes nothing. */
export async function completeLine(line: string, client: Client, commands: readonly string[]): Promise<CompletedLine> {
  const words = line.split(/\s+/);
  const word = words.pop() ?? '';
  const before = words.filter((one) => one !== '');
  const values = await candidates(before, word, client, commands).catch(() => []);
  return { values: values.filter((value) => value.startsWith(word)), word };
}

async function candidates(
  before: readonly string[],
  word: string,
  client: Client,
  commands: readonly string[],
): Promise<readonly string[]> {
  const [command, name] = before;
  if (command === undefined) return [...commands, ...((await named.tools?.(client).catch(() => [])) ?? [])];
  const kind = namesFor[command];
  if (kind !== undefined && before.length === 1) return (await named[kind]?.(client)) ?? [];
  const tool = command === 'call' ? name : commands.includes(command) ? undefined : command;
  return tool === undefined ? [] : argumentsOf(tool, before, word, client);
}

async function argumentsOf(name: string, before: readonly string[], word: string, client: Client): Promise<string[]> {
  const tool = (await client.tools.list().all()).find((one) => one.name === name);
  const plan = tool === undefined ? undefined : planForm(tool.inputSchema);
  const fields = plan?.kind === 'object' ? plan.fields() : [];
  const [, typed] = /^([^=]+)=/.exec(word) ?? [];
  const field = fields.find((one) => one.name === typed);
  if (field !== undefined) return valuesOf(field).map((value) => `${field.name}=${value}`);
  const given = new Set(before.map((one) => /^[^=:]+/.exec(one)?.[0]));
  return fields.filter((one) => !given.has(one.name)).map((one) => `${one.name}=`);
}

function valuesOf(field: FormField): readonly string[] {
  if (field.kind === 'boolean') return ['true', 'false'];
  return field.kind === 'choice' ? field.choices.map(({ value }) => String(value)) : [];
}
