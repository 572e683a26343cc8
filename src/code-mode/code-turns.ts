/** The tools of one turn: `run_code` with what scripts can call, the toolkit's own tools, and those that scripts cannot call. */
import type { AgentListOptions, AgentTool, Toolkit, ToolTurn } from '../agents/api.ts';
import { callToolName, findToolsName, findToolsTool, readMoreName, runCodeName } from '../agents/context/own-tools.ts';
import { maxDirectoryTokens } from '../agents/context/tool-context.ts';
import { lowerSchema } from '../agents/schemas/lower-schema.ts';
import type { SchemaTarget } from '../agents/schemas/report.ts';
import { directoryText } from '../agents/search/directory.ts';
import { estimateTokens } from '../agents/search/tokens.ts';
import { ownTool } from '../agents/turns.ts';
import { apiText } from './api-text.ts';
import { descriptionOf, runCodeSchema } from './script-texts.ts';

export interface CodeTurns {
  /** The tools that scripts can call. */
  tools(): Promise<readonly AgentTool[]>;
  list(target: SchemaTarget, options: AgentListOptions | undefined): Promise<ToolTurn>;
}

/** The tools of a list, and those that scripts can call with their declarations. */
interface Declared {
  readonly of: readonly AgentTool[];
  readonly scripted: readonly AgentTool[];
  readonly api: string;
}

interface Made {
  readonly of: ToolTurn;
  readonly by: readonly AgentTool[];
  readonly turn: ToolTurn;
  readonly text: string;
}

export function createCodeTurns(
  kit: Toolkit,
  isForScripts: (tool: AgentTool) => boolean,
  maxApiChars: number,
): CodeTurns {
  const isScripted = (tool: AgentTool): boolean => tool.server !== undefined && isForScripts(tool);
  const made = new Map<string, Made>();

  let last: Declared | undefined;

  /** Of the tools of a list, which stay the same array until something has changed. */
  function declare(tools: readonly AgentTool[]): Declared {
    if (last?.of === tools) return last;
    const scripted = tools.filter(isScripted);
    last = { of: tools, scripted, api: apiText(scripted) };
    return last;
  }

  /** The description names all tools, or none: what was found must not change the beginning of a prompt. */
  function scriptTools({ scripted, api }: Declared, target: SchemaTarget): readonly AgentTool[] {
    const isWhole = api.length <= maxApiChars;
    const description = descriptionOf(isWhole ? api : undefined);
    const runCode = { name: runCodeName, description, inputSchema: runCodeSchema };
    const run = { ...ownTool(runCode, target, lowerSchema), readOnly: false };
    if (isWhole) return [run];
    return [run, ownTool(findToolsTool(directoryText(scripted, maxDirectoryTokens)), target, lowerSchema)];
  }

  /** With what the toolkit offers beside what scripts can call. */
  function toolsOf({ tools }: ToolTurn, own: readonly AgentTool[]): readonly AgentTool[] {
    const direct = tools.filter((tool) => tool.server !== undefined && !isScripted(tool));
    const names = new Set(own.map(({ name }) => name));
    const others = tools.filter(({ name, server }) => {
      if (server !== undefined || names.has(name)) return false;
      if (name === readMoreName) return true;
      return direct.length > 0 && (name === callToolName || name === findToolsName);
    });
    return [...own, ...others, ...direct];
  }

  return {
    tools: async () => (await kit.list('any')).tools.filter(isScripted),
    async list(target, options) {
      const of = await kit.list(target, options);
      // Types are made of schemas as their servers wrote them.
      const all = target === 'any' ? of : await kit.list('any');
      const known = declare(all.tools);
      const key = `${target} ${options?.found}`;
      const before = made.get(key);
      const isSame = before?.of === of && before.by === known.of;
      if (isSame && !before.turn.changed) return before.turn;
      const tools = isSame ? before.turn.tools : toolsOf(of, scriptTools(known, target));
      const text = isSame ? before.text : JSON.stringify(tools);
      const tokens = tools.reduce((sum, tool) => sum + (tool.deferred ? 0 : tokensOf(tool)), 0);
      const turn = { ...of, tools, tokens, changed: before !== undefined && before.text !== text };
      made.set(key, { of, by: known.of, turn, text });
      return turn;
    },
  };
}

const tokensOf = ({ name, description, inputSchema }: AgentTool): number =>
  estimateTokens(JSON.stringify({ name, description, inputSchema }));
