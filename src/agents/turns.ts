/** The tools of one turn for a target: lowered, within the budget, and the same object until something has changed. */
import type { HostTool } from '../host/lists/lists.ts';
import { isRecord } from '../lib/values/is.ts';
import type { AgentTool, ToolkitEvent, ToolTurn } from './api.ts';
import type { FindAnswer } from './context/find-tools.ts';
import type { OwnTool } from './context/own-tools.ts';
import {
  type ContextTurn,
  createToolContext,
  type FoundBy,
  type ToolContext,
  type ToolContextOptions,
} from './context/tool-context.ts';
import { cutText } from './results/cut.ts';
import { type LowerSchema, loadLowering } from './schemas/load-lowering.ts';
import type { LoweredSchema } from './schemas/lower-schema.ts';
import type { SchemaChange, SchemaTarget } from './schemas/report.ts';
import type { Catalogue, KnownTools } from './source/catalogue.ts';

type Instructions = ReadonlyArray<{ readonly server: string; readonly text: string }>;

/** All tools of a source for one target. */
interface LoweredTools {
  readonly known: KnownTools;
  readonly tools: readonly AgentTool[];
  readonly changes: readonly SchemaChange[];
  readonly errors: ToolTurn['errors'];
  readonly lower: LowerSchema;
}

interface Made {
  readonly lowered: LoweredTools;
  readonly instructions: string;
  readonly turn: ToolTurn;
}

export interface TurnPorts {
  readonly catalogue: Catalogue;
  readonly context: Omit<ToolContextOptions, 'found'>;
  instructions(): Instructions;
  emit(event: ToolkitEvent): void;
}

export class TurnList {
  readonly #ports: TurnPorts;
  readonly #all = new Map<SchemaTarget, LoweredTools>();
  readonly #contexts = new Map<FoundBy, ToolContext>();
  readonly #made = new Map<string, Made>();
  /** By target and definition: equal ones are lowered once, and stay the same objects. */
  readonly #tools = new Map<string, MadeTool>();
  #current: FoundBy = 'next-list';

  constructor(ports: TurnPorts) {
    this.#ports = ports;
  }

  /** The context of the last list, which the model answers to. */
  get context(): ToolContext {
    return this.#contextFor(this.#current);
  }

  /** Without `found` the model gets tools as before: a program that only looks changes nothing. */
  async list(target: SchemaTarget, found: FoundBy = this.#current): Promise<ToolTurn> {
    const lowered = await this.#lower(target);
    const instructions = instructionText(this.#ports.instructions());
    this.#current = found;
    const plan = this.#contextFor(found).plan(lowered.tools);
    const key = `${target} ${found}`;
    const before = this.#made.get(key);
    const isSame = before?.lowered === lowered && before.instructions === instructions && !plan.changed;
    if (isSame && !before.turn.changed) return before.turn;
    const turn = isSame ? { ...before.turn, changed: false } : this.#turn(lowered, plan, instructions, target);
    if (turn.changed) this.#ports.emit({ type: 'changed', tools: plan.sent });
    this.#made.set(key, { lowered, instructions, turn });
    return turn;
  }

  /** Finds tools for a program, in the context of the last list. */
  async search(query: string, limit: number): Promise<AgentTool[]> {
    const { tools } = await this.#lower('any');
    if (this.#made.size === 0) this.context.plan(tools);
    const byName = new Map(tools.map((tool) => [tool.name, tool]));
    return (await this.context.search(query, limit)).flatMap((name) => byName.get(name) ?? []);
  }

  /** Answers a call of `find_tools`. Another process may have listed the tools that the model knows. */
  async find(args: unknown): Promise<FindAnswer> {
    if (this.#made.size === 0) this.context.plan((await this.#lower('any')).tools);
    return this.context.find(args);
  }

  /** All tools for a target, whatever the budget is. */
  async #lower(target: SchemaTarget): Promise<LoweredTools> {
    // Nothing waits after this: two lists at once must not both report their changes.
    const [known, lower] = await Promise.all([this.#ports.catalogue.tools(), loadLowering()]);
    const before = this.#all.get(target);
    if (before?.known === known) return before;
    const errors = [...known.errors];
    const changes: SchemaChange[] = [];
    const tools: AgentTool[] = [];
    const present = new Set<string>();
    for (const tool of known.tools.values()) {
      const key = `${target}\n${JSON.stringify(tool)}`;
      present.add(key);
      const made = this.#tools.get(key) ?? make(tool, target, lower, this.#ports.context.maxDescriptionChars);
      this.#tools.set(key, made);
      if ('problem' in made)
        errors.push({ server: tool.server, text: `The tool ${tool.originalName} is left out: ${made.problem}` });
      else {
        tools.push(made.tool);
        changes.push(...made.changes);
      }
    }
    for (const key of this.#tools.keys())
      if (key.startsWith(`${target}\n`) && !present.has(key)) this.#tools.delete(key);
    const lowered = { known, tools, changes, errors, lower };
    this.#all.set(target, lowered);
    if (changes.length > 0) this.#ports.emit({ type: 'lowered', changes });
    return lowered;
  }

  #contextFor(found: FoundBy): ToolContext {
    const known = this.#contexts.get(found);
    if (known !== undefined) return known;
    const made = createToolContext({ ...this.#ports.context, found });
    this.#contexts.set(found, made);
    return made;
  }

  #turn(
    { tools, changes, errors, lower }: LoweredTools,
    plan: ContextTurn,
    instructions: string,
    target: SchemaTarget,
  ): ToolTurn {
    const byName = new Map(tools.map((tool) => [tool.name, tool]));
    const sent = plan.sent.flatMap((name) => byName.get(name) ?? []);
    const names = new Set(sent.map(({ name }) => name));
    const deferred = tools.filter(({ name }) => !names.has(name)).map((tool) => ({ ...tool, deferred: true }));
    return {
      tools: [...plan.own.map((tool) => ownTool(tool, target, lower)), ...sent, ...deferred],
      tokens: plan.tokens,
      instructions,
      changed: plan.changed,
      lowered: changes,
      errors,
    };
  }
}

type MadeTool = { readonly tool: AgentTool; readonly changes: readonly SchemaChange[] } | { readonly problem: string };

function make(tool: HostTool, target: SchemaTarget, lower: LowerSchema, maxDescriptionChars: number): MadeTool {
  const lowered = lower(tool.inputSchema, target);
  if ('problem' in lowered) return lowered;
  const made = agentTool(tool, lowered);
  const { description } = made;
  const changes = lowered.changes.map((change) => ({ tool: tool.name, ...change }));
  if (description.length <= maxDescriptionChars) return { tool: made, changes };
  const text = `The description has ${description.length} characters, and was cut.`;
  return {
    tool: { ...made, description: cutText(description, maxDescriptionChars) },
    changes: [...changes, { tool: tool.name, target, path: '', rule: 'description-cut', text, losesValues: false }],
  };
}

function agentTool(tool: HostTool, { schema, isStrict }: LoweredSchema): AgentTool {
  const title = textIn(tool.title) ?? textIn(tool.annotations?.title);
  return {
    name: tool.name,
    ...(title !== undefined && { title }),
    description: textIn(tool.description) ?? title ?? tool.originalName,
    inputSchema: schema,
    ...(isRecord(tool.outputSchema) && { outputSchema: tool.outputSchema }),
    server: tool.server,
    deferred: false,
    readOnly: tool.annotations?.readOnlyHint === true,
    strict: isStrict,
  };
}

/** The first versions of the protocol do not say what a title is. */
const textIn = (value: unknown): string | undefined => (typeof value === 'string' ? value : undefined);

/** Never strict: a model that has to write every argument writes nulls. */
export function ownTool(
  { name, description, inputSchema: own }: OwnTool,
  target: SchemaTarget,
  lower: LowerSchema,
): AgentTool {
  const lowered = lower(own, target === 'openai-strict' ? 'openai' : target);
  const inputSchema = 'problem' in lowered ? own : lowered.schema;
  return { name, description, inputSchema, deferred: false, readOnly: true, strict: false };
}

/**
 * Characters of the instructions of one server.
 * @limit agents
 * @beyond they are cut
 */
export const maxInstructionChars = 10_000;

const instructionText = (all: Instructions): string =>
  all
    .map(({ server, text }) => `Instructions of the server ${server}:\n${cutText(text, maxInstructionChars)}`)
    .join('\n\n');
