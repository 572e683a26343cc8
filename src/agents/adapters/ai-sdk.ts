/** Tools for the AI SDK: a `ToolSet`, with its `toolSearch` if you pass that. */
import { isRecord } from '../../lib/values/is.ts';
import type { StandardResult } from '../../schema/standard.ts';
import type { AdapterOptions, AgentTool, Toolkit, ToolOutcome } from '../api.ts';
import { directoryTitle, findToolsName } from '../context/own-tools.ts';
import type { MediaPart } from '../results/true-media.ts';
import { modelOutput } from './model-output.ts';

/** A result as the AI SDK gives it to a model. */
export type AiSdkOutput =
  | { type: 'error-text'; value: string }
  | {
      type: 'content';
      value: Array<
        { type: 'text'; text: string } | { type: 'file'; data: { type: 'data'; data: string }; mediaType: string }
      >;
    };

/** A schema that the AI SDK reads as a Standard Schema. The toolkit validates, so that the model gets its words. */
export interface PassingSchema {
  /** The interface that schema libraries share. */
  readonly '~standard': {
    /** Always 1. */
    readonly version: 1;
    readonly vendor: 'tenon';
    /** Accepts every value. */
    readonly validate: (value: unknown) => StandardResult<unknown>;
    /** Converts the schema to JSON Schema. */
    readonly jsonSchema: {
      /** The schema of the arguments. */
      readonly input: () => Record<string, unknown>;
      /** The same. */
      readonly output: () => Record<string, unknown>;
    };
  };
}

/** A tool of the AI SDK. */
export interface AiSdkTool {
  /** The title of the tool for people. */
  title?: string;
  /** What the tool does. */
  description: string;
  /** The schema of the arguments. */
  inputSchema: PassingSchema;
  /** Set for tools that the model gets only after `toolSearch` has found them. */
  deferLoading?: boolean;
  /** Runs a call. */
  execute: (
    input: unknown,
    options: { toolCallId: string; abortSignal?: AbortSignal | undefined },
  ) => Promise<ToolOutcome>;
  /** Converts the outcome of a call for the model. */
  toModelOutput: (options: { output: unknown }) => AiSdkOutput;
}

/** The options of `toAiSdk`. */
export interface AiSdkOptions<Search> extends AdapterOptions {
  /**
   * `toolSearch` of `ai`: tools that do not fit the budget are deferred, and it finds them by the search of the toolkit.
   * Without it the model has `find_tools` and `call_tool`.
   */
  readonly toolSearch?: (options: { search: (options: { query: string }) => Promise<string[]> }) => Search;
}

/**
 * The tools of a turn for `generateText` and `streamText`.
 *
 * @example
 * ```ts
 * const { text } = await generateText({ model, prompt, tools: await toAiSdk(kit), stopWhen: stepCountIs(8) });
 * ```
 */
export async function toAiSdk<Search = never>(
  kit: Toolkit,
  { toolSearch, target = 'any' }: AiSdkOptions<Search> = {},
): Promise<Record<string, AiSdkTool | Search>> {
  const { tools } = await kit.list(target, { found: toolSearch === undefined ? 'call_tool' : 'native' });
  const hasDeferred = tools.some(({ deferred }) => deferred);
  if (toolSearch === undefined || !hasDeferred)
    return toolSet(
      kit,
      tools.filter(({ deferred }) => !deferred),
    );
  const search = async ({ query }: { query: string }): Promise<string[]> =>
    (await kit.search(query)).map(({ name }) => name);
  return {
    ...toolSet(
      kit,
      tools.filter(({ name }) => name !== findToolsName),
    ),
    [findToolsName]: withDirectory(toolSearch({ search }), tools),
  };
}

/** The search of the AI SDK takes the place of ours. Its description knows nothing of what there is to find. */
function withDirectory<Search>(search: Search, tools: readonly AgentTool[]): Search {
  const own = tools.find(({ name }) => name === findToolsName)?.description ?? '';
  const at = own.indexOf(directoryTitle);
  if (!isRecord(search) || at === -1) return search;
  const { description } = search;
  return { ...search, description: `${typeof description === 'string' ? description : ''} ${own.slice(at)}`.trim() };
}

const toolSet = (kit: Toolkit, tools: readonly AgentTool[]): Record<string, AiSdkTool> =>
  Object.fromEntries(tools.map((tool) => [tool.name, toTool(kit, tool)]));

const toTool = (kit: Toolkit, tool: AgentTool): AiSdkTool => ({
  ...(tool.title !== undefined && { title: tool.title }),
  description: tool.description,
  inputSchema: passing(tool.inputSchema),
  ...(tool.deferred && { deferLoading: true }),
  execute: (input, { toolCallId, abortSignal }) =>
    kit.call({ id: toolCallId, name: tool.name, arguments: input }, abortSignal && { signal: abortSignal }),
  toModelOutput: ({ output }) => modelOutput(output as ToolOutcome, toMedia),
});

export function passing(schema: Readonly<Record<string, unknown>>): PassingSchema {
  const show = (): Record<string, unknown> => structuredClone(schema);
  return {
    '~standard': {
      version: 1,
      vendor: 'tenon',
      validate: (value) => ({ value }),
      jsonSchema: { input: show, output: show },
    },
  };
}

const toMedia = (part: MediaPart) => ({
  type: 'file' as const,
  data: { type: 'data' as const, data: part.data },
  mediaType: part.mimeType,
});
