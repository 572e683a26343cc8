/** A server that answers as the server of a printed conversation, made from its messages. */
import {
  type CallToolResult,
  type Context,
  createServer,
  prompt,
  promptResult,
  resource,
  type SampleRequest,
  type Server,
  type ServerOptions,
  tool,
  toolResult,
} from 'tenon';
import { serveExtension, serverSampling } from 'tenon/extensions';
import { fromJsonSchema } from 'tenon/json-schema';
import type { PrintedLine } from './printed-conversations.ts';

type Json = Record<string, unknown>;
type Draft = Parameters<Parameters<Server['update']>[0]>[0];

export interface PrintedServer {
  readonly server: Server;
  /** The dialects that the document of the conversation needs. */
  readonly compat: NonNullable<ServerOptions['compat']>;
  /** Has the server send a notification of the conversation. */
  cue(message: Json): void;
}

export function createPrintedServer(name: string, lines: readonly PrintedLine[]): PrintedServer {
  const greeting = resultOf(lines, 'initialize');
  const { tools: listed = [] } = resultOf(lines, 'tools/list') as { tools?: Json[] };
  const calls = new PrintedCalls(lines);
  const gates = new Map<string, () => void>();
  const { experimental, sampling, logging, ...capabilities } = { ...(greeting.capabilities as Json) };
  const later = calls.names().filter((one) => !listed.some((tool) => tool.name === one));
  const server = createServer(
    {
      ...(greeting.serverInfo as { name: string; version: string }),
      ...(typeof greeting.instructions === 'string' && { instructions: greeting.instructions }),
      capabilities: { ...capabilities, logging: logging !== undefined, completions: false },
      ...(capabilities.tools !== undefined && {
        tools: Object.fromEntries(listed.map((one) => [one.name, calls.toolOf(one)])),
      }),
      ...(experimental !== undefined && { tools: { batch_process_users: batchTool(gates) } }),
      ...(capabilities.resources !== undefined && { resources: resourcesOf(lines) }),
      ...(capabilities.prompts !== undefined && { prompts: promptsOf(lines) }),
      ...(sampling !== undefined && { extensions: [samplingOf(lines)] }),
    },
    { onError: () => undefined },
  );
  const cues: Record<string, (params: Json) => void> = {
    'resources/updated': ({ uri }) => server.sendResourceUpdated(String(uri)),
    'resources/list_changed': () =>
      server.update(({ resources }: Draft) => void (resources['note://added'] = resource({ name: 'added' }, () => ''))),
    'tools/list_changed': () =>
      server.update(({ tools }: Draft) => {
        for (const one of [...later, 'added']) tools[one] = calls.toolOf({ name: one });
      }),
    message: ({ level, data, logger }) => server.log(level as 'info', data, logger as string),
  };
  return {
    server,
    compat: compatOf(name),
    cue({ method, params = {} }) {
      const what = String(method).replace('notifications/', '');
      (gates.get(what) ?? cues[what])?.(params as Json);
    },
  };
}

function compatOf(name: string): PrintedServer['compat'] {
  if (name.startsWith('digest')) return { errorCodes: 'digest' };
  if (name.startsWith('client-details')) return { errorCodes: 'client-details' };
  if (!name.startsWith('reference')) return {};
  return { errorCodes: 'reference', dialects: ['elicitation-messages'] };
}

/** The result of the first request with this method. */
function resultOf(lines: readonly PrintedLine[], method: string): Json {
  const at = lines.findIndex(({ message }) => message.method === method);
  const answer = lines.slice(at).find(({ from, message }) => from === 'server' && message.id === lines[at]?.message.id);
  return at === -1 ? {} : ((answer?.message.result ?? {}) as Json);
}

/** The calls of tools, each with what the server sends until the next request. */
class PrintedCalls {
  readonly #lines: readonly PrintedLine[];
  readonly #played = new Set<number>();

  constructor(lines: readonly PrintedLine[]) {
    this.#lines = lines;
  }

  names(): string[] {
    const isCall = ({ message }: PrintedLine): boolean =>
      message.method === 'tools/call' && (message.params as Json).name !== 'nonexistent_tool';
    return this.#lines.filter(isCall).map(({ message }) => String((message.params as Json).name));
  }

  toolOf({ name, inputSchema, outputSchema, ...options }: Json) {
    const schemas = {
      ...(inputSchema !== undefined && { inputSchema: fromJsonSchema<Json>(inputSchema as Json) }),
      ...(outputSchema !== undefined && { outputSchema: fromJsonSchema<Json>(outputSchema as Json) }),
    };
    return tool({ ...options, ...schemas } as object, (args: Json, ctx) => this.#play(String(name), args, ctx));
  }

  /** The next printed call with these arguments, which may have got defaults. */
  async #play(name: string, args: Json, ctx: Context) {
    const at = this.#lines.findIndex(({ message: { method, params } }, place) => {
      if (method !== 'tools/call' || this.#played.has(place) || (params as Json).name !== name) return false;
      return Object.entries(((params as Json).arguments ?? {}) as Json).every(([key, value]) => args[key] === value);
    });
    this.#played.add(at);
    const { id } = this.#lines[at]?.message ?? {};
    for (const { from, message } of this.#lines.slice(at + 1)) {
      const params = (message.params ?? {}) as Json;
      if (from === 'client' && message.method !== undefined) break;
      if (from === 'client') continue;
      if (message.id === id && message.result !== undefined)
        return toolResult(message.result as unknown as CallToolResult);
      if (message.method === 'notifications/message')
        ctx.log(params.level as 'info', params.data, params.logger as string);
      if (message.method === 'notifications/progress')
        ctx.reportProgress(params.progress as number, params.total as number, params.message as string);
      if (message.method === 'sampling/createMessage') await ctx.sample('sample', params as unknown as SampleRequest);
      if (message.method === 'elicitation/createMessage') await confirmed(params, ctx);
    }
    // Its client cancels it.
    return new Promise<string>((resolve) => ctx.signal.addEventListener('abort', () => resolve('cancelled')));
  }
}

async function confirmed({ messages, metadata }: Json, ctx: Context): Promise<void> {
  const [{ content }] = messages as [{ content: { text: string } }];
  const schema = fromJsonSchema<{ proceed: boolean }>({ type: 'object', properties: { proceed: { type: 'boolean' } } });
  const answer = await ctx.elicit('confirm', { message: content.text, schema, metadata: metadata as Json });
  if (answer.action !== 'accept' || !answer.content.proceed) throw new Error('The user did not agree');
}

/** Waits before each notification until it is cued. */
const batchTool = (gates: Map<string, () => void>) =>
  tool(
    {
      inputSchema: fromJsonSchema<Json>({ type: 'object' }),
      outputSchema: fromJsonSchema<Json>({ type: 'object' }),
      task: 'required',
    },
    async (_args: Json, ctx) => {
      for (const [batch, next] of [
        [45, 'tasks/progress'],
        [65, 'tasks/completed'],
      ] as const) {
        ctx.reportProgress(batch, 100, `Processing batch ${batch} of 100`);
        await new Promise<void>((resolve) => gates.set(next, resolve));
      }
      return { processedRecords: 10_000, duration: '00:15:30' };
    },
  );

function resourcesOf(lines: readonly PrintedLine[]) {
  const { resources = [] } = resultOf(lines, 'resources/list') as { resources?: Json[] };
  const { contents = [] } = resultOf(lines, 'resources/read') as { contents?: { uri: string; text: string }[] };
  const textOf = (uri: unknown): string => contents.find((one) => one.uri === uri)?.text ?? '';
  const all = resources.map(({ uri, ...options }) => [uri, resource(options as { name: string }, () => textOf(uri))]);
  return Object.fromEntries(all);
}

function promptsOf(lines: readonly PrintedLine[]) {
  const { prompts = [] } = resultOf(lines, 'prompts/list') as { prompts?: Json[] };
  const got = resultOf(lines, 'prompts/get') as unknown as Parameters<typeof promptResult>[0];
  return Object.fromEntries(
    prompts.map(({ name, arguments: args, ...options }) => {
      const fields = args as { name: string; description: string; required: boolean }[];
      const schema = {
        type: 'object',
        properties: Object.fromEntries(
          fields.map((one) => [one.name, { type: 'string', description: one.description }]),
        ),
        required: fields.filter(({ required }) => required).map((one) => one.name),
      };
      return [name, prompt({ ...options, argsSchema: fromJsonSchema(schema) as never }, () => promptResult(got))];
    }),
  );
}

const samplingOf = (lines: readonly PrintedLine[]) =>
  serveExtension(serverSampling, {
    methods: { createMessage: () => resultOf(lines, 'sampling/createMessage') as never },
  });
