/** The lists of an instance, as definitions of a Tenon server: each handler calls the instance. */

import { fromBase64 } from '../../lib/text/base64.ts';
import type { Fields } from '../../lib/values/is.ts';
import { parseUriTemplate } from '../../protocol/uri-template/parse.ts';
import type { Schema } from '../../schema/standard.ts';
import type { BaseContext } from '../../server/definition/context.ts';
import type { PromptDefinition } from '../../server/definition/prompt.ts';
import type {
  CompleteCallback,
  ResourceDefinition,
  ResourcePart,
  ResourceTemplateDefinition,
} from '../../server/definition/resource.ts';
import { promptResult, toolResult } from '../../server/definition/returns.ts';
import type { ToolDefinition } from '../../server/definition/tool.ts';
import { prompt } from '../../server/features/prompt.ts';
import { resource } from '../../server/features/resource.ts';
import { resourceTemplate } from '../../server/features/resource-template.ts';
import { tool } from '../../server/features/tool.ts';
import { type InstanceLists, maxListItems } from '../instance/lists.ts';
import { CostlyTemplates } from './template-cost.ts';

/** Sends a request to the instance of the caller, and resolves with its result. */
export type Forward = (ctx: BaseContext, method: string, params: Fields) => Promise<Fields>;

/** The features of a server, in the form of its definition. */
export interface BridgedFeatures {
  readonly tools: Readonly<Record<string, ToolDefinition>>;
  readonly resources: Readonly<Record<string, ResourceDefinition>>;
  readonly resourceTemplates: Readonly<Record<string, ResourceTemplateDefinition>>;
  readonly prompts: Readonly<Record<string, PromptDefinition>>;
}

export const noFeatures: BridgedFeatures = { tools: {}, resources: {}, resourceTemplates: {}, prompts: {} };

/** Lists that are remembered: most instances have the same. */
const maxRemembered = 16;

/** Makes the definitions of one bridge. Equal lists give the same features, and a record that has not changed the same definition. */
export class FeatureMaker {
  readonly #forward: Forward;
  readonly #dropped: (method: string, reason: string) => void;
  readonly #features = new Map<string, BridgedFeatures>();
  readonly #costly = new CostlyTemplates(maxListItems);
  readonly #made = new Map<string, { readonly json: string; readonly definition: Checked }>();
  /** What was left out already: each instance has it again. */
  readonly #leftOut = new Set<string>();

  constructor(forward: Forward, dropped: (method: string, reason: string) => void) {
    this.#forward = forward;
    this.#dropped = dropped;
  }

  make(lists: InstanceLists): BridgedFeatures {
    const text = JSON.stringify(lists);
    const features = this.#features.get(text) ?? this.#definitionsOf(lists);
    this.#features.delete(text);
    this.#features.set(text, features);
    const [oldest] = this.#features.keys();
    if (this.#features.size > maxRemembered && oldest !== undefined) this.#features.delete(oldest);
    return features;
  }

  #definitionsOf({ tools, resources, templates, prompts, completes }: InstanceLists): BridgedFeatures {
    const forward = this.#forward;
    for (const { uriTemplate } of templates) this.#costly.add(String(uriTemplate));
    const leaveOut = (method: string, reason: string): void => this.#leaveOut(method, reason);
    return {
      tools: this.#all('tools/list', tools.filter(isCallable(leaveOut)), 'name', (one) => toolOf(one, forward)),
      resources: this.#all('resources/list', resources, 'uri', (one) => resourceOf(one, forward)),
      resourceTemplates: this.#all('resources/templates/list', templates, 'uriTemplate', (one) =>
        templateOf(one, forward, completes, this.#costly),
      ),
      prompts: this.#all('prompts/list', prompts, 'name', (one) => promptOf(one, forward, completes)),
    };
  }

  /** A record that our checks refuse is left out, and named. */
  #all<T extends Checked>(
    list: string,
    records: readonly Fields[],
    key: string,
    make: (record: Fields) => T,
  ): Record<string, T> {
    const entries = records.flatMap((record): [string, T][] => {
      const name = String(record[key]);
      try {
        return [[name, this.#one(`${list} ${name}`, name, record, make)]];
      } catch (error) {
        this.#leaveOut(list, `${name}: ${(error as Error).message}`);
        return [];
      }
    });
    return Object.fromEntries(entries);
  }

  #one<T extends Checked>(place: string, name: string, record: Fields, make: (record: Fields) => T): T {
    const json = JSON.stringify(record);
    const known = this.#made.get(place);
    if (known?.json === json) return known.definition as T;
    const definition = named(place, make(record));
    compiledOf(name, definition);
    if (this.#made.size >= maxListItems) this.#made.clear();
    this.#made.set(place, { json, definition });
    texts.set(definition, json);
    return definition;
  }

  #leaveOut(method: string, reason: string): void {
    const text = `${method} ${reason}`;
    if (this.#leftOut.has(text)) return;
    if (this.#leftOut.size >= maxListItems) this.#leftOut.clear();
    this.#leftOut.add(text);
    this.#dropped(method, reason);
  }
}

interface Checked {
  readonly compile: (name: string, source: never) => unknown;
}

/** A call that waits stays bound to its feature when the instance describes it in other words. */
const named = <T extends Checked>(fingerprint: string, definition: T): T => ({
  ...definition,
  compile: (name: string, source: never) => ({ ...(definition.compile(name, source) as object), fingerprint }),
});

/** The records of definitions, as texts. */
const texts = new WeakMap<object, string>();

/** Whether two definitions were made from the same record. */
export const isSameDefinition = (one: object | undefined, other: object | undefined): boolean =>
  one === other || (one !== undefined && other !== undefined && texts.get(one) === texts.get(other));

const compiled = new WeakMap<object, unknown>();

/** A definition as the kernel uses it. */
export function compiledOf(name: string, definition: Checked): unknown {
  const known = compiled.get(definition) ?? definition.compile(name, definition as never);
  compiled.set(definition, known);
  return known;
}

/** Tools that only run as tasks of the official SDK have no result of their own. */
const isCallable =
  (dropped: (method: string, reason: string) => void) =>
  ({ name, execution }: Fields): boolean => {
    const isTask = (execution as Fields | undefined)?.taskSupport === 'required';
    if (isTask) dropped('tools/list', `${String(name)}: it only runs as a task (registerToolTask).`);
    return !isTask;
  };

const described = ({ title, description, icons, _meta }: Fields): Fields =>
  defined({ title, description, icons, _meta });

const toolOf = (record: Fields, forward: Forward): ToolDefinition =>
  tool(
    {
      ...described(record),
      ...defined({ annotations: record.annotations }),
      inputSchema: passThrough(record.inputSchema as Fields),
      ...(record.outputSchema !== undefined && { outputSchema: passThrough(record.outputSchema as Fields) }),
    },
    async (args, ctx) =>
      toolResult((await forward(ctx, 'tools/call', { name: record.name, arguments: args })) as never),
  ) as unknown as ToolDefinition;

function promptOf(record: Fields, forward: Forward, completes: boolean): PromptDefinition {
  const args = (record.arguments ?? []) as readonly Fields[];
  const ref = { type: 'ref/prompt', name: record.name };
  const names = args.map(({ name }) => String(name));
  return prompt(
    {
      ...described(record),
      ...(args.length > 0 && { argsSchema: passThrough<Record<string, string | undefined>>(argumentsSchema(args)) }),
      ...(completes && { complete: completersOf(names, ref, forward) }),
    },
    async (given, ctx) =>
      promptResult((await forward(ctx, 'prompts/get', { name: record.name, arguments: given })) as never),
  ) as unknown as PromptDefinition;
}

const argumentsSchema = (args: readonly Fields[]): Fields => ({
  type: 'object',
  properties: Object.fromEntries(
    args.map(({ name, title, description }) => [name, { type: 'string', ...defined({ title, description }) }]),
  ),
  required: args.filter(({ required }) => required === true).map(({ name }) => name),
});

const resourceOf = (record: Fields, forward: Forward): ResourceDefinition =>
  resource(
    { ...described(record), ...defined({ name: record.name, size: record.size, ...typed(record) }) },
    async (ctx) => read(ctx, String(record.uri), forward),
  );

function templateOf(
  record: Fields,
  forward: Forward,
  completes: boolean,
  costly: CostlyTemplates,
): ResourceTemplateDefinition {
  const uriTemplate = String(record.uriTemplate);
  const ref = { type: 'ref/resource', uri: uriTemplate };
  return resourceTemplate(
    {
      ...described(record),
      ...defined({ name: record.name, ...typed(record) }),
      ...(completes && { complete: completersOf(parseUriTemplate(uriTemplate).names, ref, forward) }),
    },
    async (_variables, ctx, uri) => {
      costly.check(uri);
      return read(ctx, uri, forward);
    },
  );
}

const typed = ({ mimeType, annotations }: Fields): Fields => ({ mimeType, annotations });

async function read(ctx: BaseContext, uri: string, forward: Forward): Promise<readonly ResourcePart[]> {
  const { contents } = await forward(ctx, 'resources/read', { uri });
  return ((contents ?? []) as readonly Fields[]).map(
    ({ blob, ...part }) => ({ ...part, ...(typeof blob === 'string' && { bytes: fromBase64(blob) }) }) as ResourcePart,
  );
}

/** The instance knows which of its arguments it completes. */
function completersOf(
  names: readonly string[],
  ref: Fields,
  forward: Forward,
): Readonly<Record<string, CompleteCallback>> {
  const one =
    (name: string): CompleteCallback =>
    async (value, context) => {
      const params = { ref, argument: { name, value }, context: { arguments: context.arguments } };
      const { completion } = await forward(context, 'completion/complete', params);
      return completion as { readonly values: readonly string[] };
    };
  return Object.fromEntries(names.map((name) => [name, one(name)]));
}

/** The fields that have a value. */
const defined = (fields: Fields): Fields =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined));

/** Accepts everything: the server behind the bridge validates, and its error texts stay. `jsonSchema` is what lists show. */
const passThrough = <T = Record<string, unknown>>(jsonSchema: Record<string, unknown>): Schema<T, T> => ({
  '~standard': {
    version: 1,
    // It does no work that a large value could make long.
    vendor: 'tenon',
    validate: (value) => ({ value: value as T }),
    jsonSchema: { input: () => jsonSchema, output: () => jsonSchema },
  },
});
