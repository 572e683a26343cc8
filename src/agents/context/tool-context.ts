/** The context of one conversation: counts tools, plans turns, remembers what was found, and answers `find_tools`. */
import type { AgentListOptions } from '../api.ts';
import { directoryText } from '../search/directory.ts';
import { estimateTokens, tokensFor } from '../search/tokens.ts';
import type { ToolIndex } from '../search/tool-index.ts';
import type { ToolText } from '../search/tool-text.ts';
import { type FindAnswer, findTools, type ToolRanker } from './find-tools.ts';
import { callToolTool, findToolsTool, type OwnTool, readMoreTool } from './own-tools.ts';
import { type ContextState, firstState, planTurn, withFound, withUsed } from './plan-turn.ts';

export interface ToolContextOptions {
  /** Tokens of all definitions together. */
  readonly maxTokens: number;
  /** Characters of a description: the directory is in one. */
  readonly maxDescriptionChars: number;
  /** Tools that are sent in every turn. */
  readonly isPinned: (tool: ToolText) => boolean;
  readonly rank?: ToolRanker | undefined;
  readonly countTokens?: ((text: string) => number) | undefined;
  /** How the model gets what it has found. Default `next-list`: by name, from the next turn on. */
  readonly found?: FoundBy;
}

/** `native` and `call_tool` leave the list as it is, so that it can be cached. */
export type FoundBy = NonNullable<AgentListOptions['found']>;

/** What a model gets in one turn. */
export interface ContextTurn {
  /** The toolkit's own tools, which come first. */
  readonly own: readonly OwnTool[];
  /** The names of the other tools that are sent, in their order. All others are deferred. */
  readonly sent: readonly string[];
  /** Whether other definitions are sent than in the turn before. */
  readonly changed: boolean;
  /** Whether the tools did not fit, so that others have to be found. */
  readonly needsSearch: boolean;
  /** Of everything that is sent. */
  readonly tokens: number;
}

export interface ToolContext {
  /** Plans the next turn. Tools that are the same objects as before are neither counted nor indexed again. */
  plan(tools: readonly ToolText[]): ContextTurn;
  /** Answers a call of `find_tools` with the tools of the last turn. */
  find(args: unknown): Promise<FindAnswer>;
  /** Finds tools for a program. Nothing is sent because of it. */
  search(query: string, limit: number): Promise<readonly string[]>;
  /** The model has called a tool: it is not the first to leave. */
  used(name: string): void;
}

/**
 * Tokens of the directory of tools, at most half of the budget.
 * @limit agents
 * @beyond the servers with the most tools have a number instead of names
 */
export const maxDirectoryTokens = 2500;

/**
 * Tools that are sent in one turn, those of the toolkit included. The API of OpenAI refuses more.
 * @limit agents
 * @beyond the model finds the others, also within the budget; pinned tools are always sent
 */
export const maxSentTools = 128;

export function createToolContext(options: ToolContextOptions): ToolContext {
  const { maxTokens, maxDescriptionChars, isPinned, rank, countTokens = estimateTokens, found = 'next-list' } = options;
  const byCallTool = found === 'call_tool';
  /** Made at the first search: an agent whose tools fit does not need it. */
  let index: ToolIndex | undefined;
  const counted = new WeakMap<ToolText, number>();
  const space = tokensFor(maxDescriptionChars - findToolsTool('').description.length);
  const directory = createDirectory(Math.min(maxDirectoryTokens, Math.floor(maxTokens / 2), space));
  let known: ReadonlyMap<string, ToolText> = new Map();
  let state: ContextState = firstState;
  let ownText: string | undefined;

  const sizeOf = ({ name, description, inputSchema }: OwnTool | ToolText): number =>
    countTokens(JSON.stringify({ name, description, inputSchema }));

  function tokensOf(tool: ToolText): number {
    const tokens = counted.get(tool) ?? sizeOf(tool);
    counted.set(tool, tokens);
    return tokens;
  }

  function takeOver(tools: readonly ToolText[]): void {
    const now = new Map(tools.map((tool) => [tool.name, tool]));
    index?.remove([...known.keys()].filter((name) => !now.has(name)));
    index?.add(tools.filter((tool) => known.get(tool.name) !== tool));
    known = now;
  }

  async function searchIndex(query: string, limit: number): Promise<readonly string[]> {
    const { createToolIndex } = await import('../search/tool-index.ts');
    if (index === undefined) {
      index = createToolIndex();
      index.add([...known.values()]);
    }
    return index.search(query, limit);
  }

  const search = async (query: string, limit: number): Promise<readonly string[]> => {
    const names = await (rank === undefined ? searchIndex(query, limit) : rank(query, [...known.values()], limit));
    return names.filter((name) => known.has(name)).slice(0, limit);
  };

  return {
    search,
    plan(tools) {
      takeOver(tools);
      const sizes = tools.map((tool) => ({ name: tool.name, tokens: tokensOf(tool) }));
      const finding = [findToolsTool(directory(tools)), readMoreTool, ...(byCallTool ? [callToolTool] : [])];
      const ownTokens = finding.reduce((sum, tool) => sum + sizeOf(tool), 0);
      const pinned = new Set(tools.filter(isPinned).map(({ name }) => name));
      const plan = planTurn(state, sizes, {
        maxTokens,
        maxTools: maxSentTools - finding.length,
        ownTokens,
        isPinned: (name) => pinned.has(name),
      });
      state = plan.state;
      const own = plan.needsSearch ? finding : [readMoreTool];
      const sent = new Set(plan.sent);
      const toolTokens = sizes.reduce((sum, { name, tokens }) => sum + (sent.has(name) ? tokens : 0), 0);
      const tokens = toolTokens + (plan.needsSearch ? ownTokens : sizeOf(readMoreTool));
      const changed = plan.changed || (ownText !== undefined && ownText !== JSON.stringify(own));
      ownText = JSON.stringify(own);
      return { own, sent: plan.sent, changed, needsSearch: plan.needsSearch, tokens };
    },
    async find(args) {
      const answer = await findTools(args, { tools: known, search, withSchemas: byCallTool });
      if (found === 'next-list') state = withFound(state, answer.found);
      return answer;
    },
    used(name) {
      state = withUsed(state, [name]);
    },
  };
}

/**
 * The directory stays as it is while all that it names exists, so that the prompt can be cached: an added tool is only searched.
 * A new server changes it.
 */
function createDirectory(maxTokens: number): (tools: readonly ToolText[]) => string {
  let named: ReadonlyMap<string, string | undefined> | undefined;
  let text = '';
  return (tools) => {
    const now = new Map(tools.map(({ name, server }) => [name, server]));
    const servers = new Set(named?.values());
    const isCurrent =
      named !== undefined &&
      [...named.keys()].every((name) => now.has(name)) &&
      [...now.values()].every((server) => servers.has(server));
    if (isCurrent) return text;
    named = now;
    text = directoryText(tools, maxTokens);
    return text;
  };
}
