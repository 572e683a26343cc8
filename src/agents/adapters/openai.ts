/** Tools for the SDK of OpenAI: for the Responses API, and for Chat Completions. */
import { TenonError } from '../../lib/errors/tenon-error.ts';
import type { AgentCallOptions, Toolkit } from '../api.ts';
import { chatCall, chatOutput, chatTool, type OpenAIChatOutput, type OpenAIChatTool } from './openai-chat.ts';
import {
  isSearch,
  nativeTool,
  type OpenAIResponsesOutput,
  type OpenAIResponsesTool,
  type OpenAIToolSearch,
  type OpenAIToolSearchOutput,
  responsesCall,
  responsesOutput,
  responsesTool,
  searchOutput,
} from './openai-responses.ts';

/** The tools of a turn, and a function that runs the calls of a response. */
export interface OpenAITools<Tool, Output> {
  /** For `tools` of the request. */
  readonly tools: Tool[];
  /**
   * Runs the calls among the items of a response (`output`), or those of a message (`tool_calls`). The answers are in
   * their order; other items are ignored.
   */
  run(items: readonly unknown[] | null | undefined, options?: Pick<AgentCallOptions, 'signal'>): Promise<Output[]>;
}

/** The options of `toOpenAI`. */
export interface OpenAIOptions {
  /** Which API. Default `responses`. */
  readonly api?: 'responses' | 'chat';
  /** Whether tools are strict whose schema has a strict form. Default `false`. */
  readonly strict?: boolean;
  /**
   * How the model gets a tool that it has found: `native` by the tool search of the Responses API, for models that have it;
   * `call_tool` works with every model. Default `call_tool`.
   */
  readonly found?: 'native' | 'call_tool';
}

const images = ['image/png', 'image/jpeg', 'image/gif', 'image/webp'];

/**
 * The tools of a turn for `client.responses.create`, or with `api: 'chat'` for `client.chat.completions.create`.
 *
 * @example
 * ```ts
 * const { tools, run } = await toOpenAI(kit);
 * const response = await client.responses.create({ model, input, tools });
 * input.push(...response.output, ...(await run(response.output)));
 * ```
 */
export function toOpenAI(
  kit: Toolkit,
  options: OpenAIOptions & { readonly api: 'chat' },
): Promise<OpenAITools<OpenAIChatTool, OpenAIChatOutput>>;
export function toOpenAI(
  kit: Toolkit,
  options: OpenAIOptions & { readonly api?: 'responses'; readonly found: 'native' },
): Promise<OpenAITools<OpenAIResponsesTool | OpenAIToolSearch, OpenAIResponsesOutput | OpenAIToolSearchOutput>>;
export function toOpenAI(
  kit: Toolkit,
  options?: OpenAIOptions & { readonly api?: 'responses' },
): Promise<OpenAITools<OpenAIResponsesTool, OpenAIResponsesOutput>>;
export async function toOpenAI(kit: Toolkit, options: OpenAIOptions = {}): Promise<OpenAITools<unknown, unknown>> {
  const { api = 'responses', found = 'call_tool' } = options;
  if (api === 'chat' && found === 'native') throw noSearch();
  return api === 'chat' ? forChat(kit, options) : forResponses(kit, options);
}

async function forChat(
  kit: Toolkit,
  { strict }: OpenAIOptions,
): Promise<OpenAITools<OpenAIChatTool, OpenAIChatOutput>> {
  const { tools } = await kit.list(targetOf(strict), { found: 'call_tool' });
  return {
    tools: tools.filter(({ deferred }) => !deferred).map(chatTool),
    async run(items, options = {}) {
      const outcomes = await kit.callAll((items ?? []).flatMap(chatCall), { ...options, media: [] });
      return outcomes.map(chatOutput);
    },
  };
}

async function forResponses(
  kit: Toolkit,
  { strict, found = 'call_tool' }: OpenAIOptions,
): Promise<OpenAITools<OpenAIResponsesTool | OpenAIToolSearch, OpenAIResponsesOutput | OpenAIToolSearchOutput>> {
  const list = () => kit.list(targetOf(strict), { found });
  const { tools } = await list();
  const sent = tools.filter(({ deferred }) => !deferred);
  return {
    tools: sent.map(found === 'native' ? nativeTool : responsesTool),
    async run(items, options = {}) {
      const made = (items ?? []).flatMap((item) =>
        responsesCall(item).map((call) => ({ call, isSearch: isSearch(item) })),
      );
      const calls = made.map(({ call }) => call);
      const outcomes = await kit.callAll(calls, { ...options, media: images });
      const all = made.some((one) => one.isSearch) ? (await list()).tools : [];
      return outcomes.map((outcome, n) => (made[n]?.isSearch ? searchOutput(outcome, all) : responsesOutput(outcome)));
    },
  };
}

const targetOf = (isStrict = false) => (isStrict ? ('openai-strict' as const) : ('openai' as const));

const noSearch = (): TenonError =>
  new TenonError('invalid-argument', "toOpenAI(): found is 'native', and Chat Completions has no tool search.", {
    hint: "Leave out found, or use the Responses API: api: 'responses'.",
  });
