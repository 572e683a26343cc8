/** The requests of commands, from what was typed. A server may have questions about each of them. */
import type { CallOptions, Client } from '../../client/api/client.ts';
import { checkValue, planForm } from '../../json-schema/form-plan.ts';
import { type Fields, isRecord } from '../../lib/values/is.ts';
import { callArguments } from '../input/call-arguments.ts';
import type { Given } from '../io/given.ts';
import { askForm } from '../terminal/ask-form.ts';
import { unknownName, usageError } from '../usage-error.ts';

/** A request of the protocol, or the result of a task that runs already. */
export type TypedRequest =
  | { readonly kind: 'call'; readonly method: string; readonly params: Fields }
  | { readonly kind: 'task'; readonly taskId: string };

/** Reads what was typed, for each command; types of arguments come from the server. */
export const typedRequests: Readonly<Record<string, (client: Client, given: Given) => Promise<TypedRequest>>> = {
  async call(client, given) {
    const [name = '', ...words] = given.words;
    const tool = await findTool(client, name);
    const json = given.text('args') === '-' ? await given.io.readInput() : given.text('args');
    const typed = callArguments({ words, json }, tool.inputSchema);
    return asCall('tools/call', { name, arguments: await formArguments(given, tool.inputSchema, typed) });
  },
  async read(_, { words: [uri = ''] }) {
    return asCall('resources/read', { uri });
  },
  async get(_, { words: [name = '', ...words] }) {
    // The arguments of a prompt are texts.
    return asCall('prompts/get', { name, arguments: callArguments({ words }, {}) });
  },
  async tasks(_, { words: [, taskId = ''] }) {
    return { kind: 'task', taskId };
  },
};

const asCall = (method: string, params: Fields): TypedRequest => ({ kind: 'call', method, params });

/** Sends a request and follows it to its result. The handlers of the client answer what the server asks. */
export async function perform(client: Client, request: TypedRequest, options: CallOptions): Promise<Fields> {
  const result = await sent(client, request, options);
  return isRecord(result) ? result : {};
}

function sent(client: Client, request: TypedRequest, options: CallOptions): Promise<unknown> {
  if (request.kind === 'task') return client.tasks.result(request.taskId, options);
  const { method, params } = request;
  if (method === 'tools/call') return client.tools.call(String(params.name), params.arguments as Fields, options);
  return client.request(method, params, options);
}

export async function findTool(client: Client, name: string): Promise<{ readonly inputSchema: unknown }> {
  const tools = await client.tools.list().all();
  const tool = tools.find((one) => one.name === name);
  if (tool !== undefined) return tool;
  const names = tools.map((one) => one.name);
  throw unknownName('tool', name, names, toolsHint(names));
}

/** More names than these are listed by a command of their own. */
const maxNamed = 10;

function toolsHint(names: readonly string[]): string {
  if (names.length === 0) return 'The server has no tools.';
  if (names.length <= maxNamed) return `The server has ${names.join(', ')}.`;
  return `The server has ${names.length} tools: tenon tools lists them.`;
}

/** The arguments that were typed, with what the person adds. With `--json` nothing is asked unless `--form` is set. */
async function formArguments({ io, flag, isJson }: Given, schema: unknown, typed: Fields): Promise<Fields> {
  const isForm = flag('form');
  if (isForm && !io.canAsk) throw usageError('--form needs a terminal.', 'Write the arguments as name=value.');
  const plan = planForm(schema);
  const isMissing = checkValue(plan, typed).some(({ message }) => message === 'is required');
  if (!isForm && (isJson || !io.canAsk || !isMissing)) return typed;
  const only = isForm ? 'all' : 'required';
  return (await askForm(plan, io.prompts, { known: typed, only, signal: io.signal })) as Fields;
}
