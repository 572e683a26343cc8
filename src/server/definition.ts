/** What an author writes: tools and resources, as plain values that nothing is connected to. */
import type { Annotations, ContentBlock, Icon, ToolAnnotations } from '../protocol/generated/types/records.ts';
import type { Input, Output, Schema } from '../schema/standard.ts';

/** What a handler is given beside its arguments. */
export interface Context {
  /** Aborted when the caller gives the call up or the connection ends. */
  readonly signal: AbortSignal;
}

/** Content made by `content`; without an output schema a tool returns this or a string. */
export interface Content {
  readonly [contentMark]: readonly ContentBlock[];
}
const contentMark = Symbol('tenon content');

export const content = (...blocks: ContentBlock[]): Content => ({ [contentMark]: blocks });
export const blocksOf = (value: Content): readonly ContentBlock[] => value[contentMark];
export const isContent = (value: unknown): value is Content =>
  typeof value === 'object' && value !== null && contentMark in value;

export interface ToolFacts<In extends Schema, Out extends Schema | undefined> {
  readonly title?: string;
  readonly description?: string;
  readonly icons?: readonly Icon[];
  readonly annotations?: ToolAnnotations & Record<string, unknown>;
  readonly input?: In;
  readonly output?: Out;
}

type Given<S extends Schema> = Schema extends S ? Record<string, unknown> : Output<S>;
type Returned<S extends Schema | undefined> = S extends Schema ? Input<S> : string | Content;

export interface Tool<In extends Schema = Schema, Out extends Schema | undefined = Schema | undefined> {
  readonly facts: ToolFacts<In, Out>;
  run(given: never, context: Context): unknown;
}

/** Defines a tool. With `output` the handler returns the structured value, without it a string or `content(…)`. */
export const tool = <In extends Schema = Schema, Out extends Schema | undefined = undefined>(
  facts: ToolFacts<In, Out>,
  run: (given: Given<In>, context: Context) => Returned<Out> | Promise<Returned<Out>>,
): Tool<In, Out> => ({ facts, run: run as Tool['run'] });

export interface ResourceFacts {
  readonly name?: string;
  readonly title?: string;
  readonly description?: string;
  readonly mimeType?: string;
  readonly size?: number;
  readonly icons?: readonly Icon[];
  readonly annotations?: Annotations;
}

export interface Resource {
  readonly facts: ResourceFacts;
  read(context: Context): string | Uint8Array | Promise<string | Uint8Array>;
}

/** Defines a resource whose text or bytes are read when asked for. */
export const resource = (facts: ResourceFacts, read: Resource['read']): Resource => ({ facts, read });

export interface ServerDefinition {
  readonly name: string;
  readonly version: string;
  readonly title?: string;
  readonly description?: string;
  readonly instructions?: string;
  readonly tools?: Readonly<Record<string, Tool>>;
  readonly resources?: Readonly<Record<string, Resource>>;
}
