/** The tools of one turn for a target: lowered, counted, and the same object until something has changed. */

import type { HostTool } from '../host/lists/lists.ts';
import { canonicalJson } from '../lib/text/canonical-json.ts';
import type { AgentTool, ToolkitEvent, ToolTurn } from './api.ts';
import type { Catalogue, KnownTools } from './catalogue.ts';
import { type LoweredSchema, lowerSchema } from './schemas/lower-schema.ts';
import type { SchemaTarget } from './schemas/report.ts';

type Lowered = ReturnType<typeof lowerSchema>;

interface Made {
  readonly known: KnownTools;
  readonly instructions: string;
  readonly turn: ToolTurn;
}

export class TurnList {
  readonly #catalogue: Catalogue;
  readonly #instructions: () => ReadonlyArray<{ readonly server: string; readonly text: string }>;
  readonly #emit: (event: ToolkitEvent) => void;
  readonly #made = new Map<SchemaTarget, Made>();
  /** By target and schema: equal definitions are lowered once. */
  #lowered = new Map<string, Lowered>();

  constructor(
    catalogue: Catalogue,
    instructions: () => ReadonlyArray<{ readonly server: string; readonly text: string }>,
    emit: (event: ToolkitEvent) => void,
  ) {
    this.#catalogue = catalogue;
    this.#instructions = instructions;
    this.#emit = emit;
  }

  async list(target: SchemaTarget): Promise<ToolTurn> {
    const known = await this.#catalogue.tools();
    const instructions = instructionText(this.#instructions());
    const before = this.#made.get(target);
    if (before?.known === known && before.instructions === instructions) {
      const { turn } = before;
      if (!turn.changed) return turn;
      const same = { ...turn, changed: false };
      this.#made.set(target, { ...before, turn: same });
      return same;
    }
    const turn = this.#make(known, target, instructions, before?.turn);
    this.#made.set(target, { known, instructions, turn });
    return turn;
  }

  #make(known: KnownTools, target: SchemaTarget, instructions: string, before: ToolTurn | undefined): ToolTurn {
    const errors = [...known.errors];
    const lowered = [...known.tools.values()].map((tool) => ({ tool, result: this.#lower(tool, target) }));
    this.#forgetOthers(known, target);
    const tools = lowered.flatMap(({ tool, result }): AgentTool[] => {
      if ('problem' in result) {
        errors.push({ server: tool.server, text: `The tool ${tool.originalName} is left out: ${result.problem}` });
        return [];
      }
      return [agentTool(tool, result)];
    });
    const changes = lowered.flatMap(({ result }) => ('problem' in result ? [] : result.changes));
    const turn: ToolTurn = {
      tools,
      tokens: Math.ceil(JSON.stringify(tools.map(sentOf)).length / 4),
      instructions,
      changed: before !== undefined && canonicalJson(before.tools) !== canonicalJson(tools),
      lowered: changes,
      errors,
    };
    if (changes.length > 0) this.#emit({ type: 'lowered', changes });
    if (turn.changed) this.#emit({ type: 'changed', tools: tools.map(({ name }) => name) });
    return turn;
  }

  #lower(tool: HostTool, target: SchemaTarget): Lowered {
    const key = keyOf(tool, target);
    const known = this.#lowered.get(key) ?? lowerSchema(tool.inputSchema, target);
    this.#lowered.set(key, known);
    return known;
  }

  /** Schemas that no server has any more. */
  #forgetOthers({ tools }: KnownTools, target: SchemaTarget): void {
    const present = new Set([...tools.values()].map((tool) => keyOf(tool, target)));
    for (const key of this.#lowered.keys())
      if (key.startsWith(`${target}\n`) && !present.has(key)) this.#lowered.delete(key);
  }
}

const keyOf = (tool: HostTool, target: SchemaTarget): string => `${target}\n${JSON.stringify(tool.inputSchema)}`;

const agentTool = (tool: HostTool, { schema, isStrict }: LoweredSchema): AgentTool => {
  const title = tool.title ?? tool.annotations?.title;
  return {
    name: tool.name,
    ...(title !== undefined && { title }),
    description: tool.description ?? title ?? tool.originalName,
    inputSchema: schema,
    server: tool.server,
    deferred: false,
    readOnly: tool.annotations?.readOnlyHint === true,
    strict: isStrict,
  };
};

/** What providers count of a tool. */
const sentOf = ({ name, description, inputSchema }: AgentTool): object => ({ name, description, inputSchema });

const instructionText = (all: ReadonlyArray<{ readonly server: string; readonly text: string }>): string =>
  all.map(({ server, text }) => `Instructions of the server ${server}:\n${text}`).join('\n\n');
