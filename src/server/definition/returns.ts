/** Marked values that handlers return when a string or a structured value does not say enough. */
import type { CallToolResult, ContentBlock, GetPromptResult } from '../../protocol/generated/types/records.ts';
import type { Question } from './questions.ts';

const mark = Symbol('tenon');

/** Content made by `content`. */
export interface Content {
  readonly [mark]: true;
  readonly kind: 'content';
  readonly blocks: readonly ContentBlock[];
}

/** A whole tool result made by `result`. */
export interface WholeResult {
  readonly [mark]: true;
  readonly kind: 'result';
  readonly result: CallToolResult;
}

/** Questions made by `needsInput`. */
export interface NeedsInput {
  readonly [mark]: true;
  readonly kind: 'needs-input';
  readonly questions: Readonly<Record<string, Question>>;
  readonly state: unknown;
}

/** A whole prompt result made by `promptResult`. */
export interface WholePrompt {
  readonly [mark]: true;
  readonly kind: 'prompt';
  readonly result: GetPromptResult;
}

/** Several kinds of content as what a tool returns. */
export const content = (...blocks: ContentBlock[]): Content => ({ [mark]: true, kind: 'content', blocks });

/** Full control over a tool's result: `isError`, `_meta`, content beside structured content. */
export const result = (result: CallToolResult): WholeResult => ({ [mark]: true, kind: 'result', result });

/** A prompt with a description or fields of its own. */
export const promptResult = (result: GetPromptResult): WholePrompt => ({ [mark]: true, kind: 'prompt', result });

/** Asks by returning: the handler is called again with `ctx.answers` and `ctx.state`. */
export const needsInput = (questions: Readonly<Record<string, Question>>, state?: unknown): NeedsInput => ({
  [mark]: true,
  kind: 'needs-input',
  questions,
  state,
});

export type Marked = Content | WholeResult | NeedsInput | WholePrompt;

/** The value if it is one of these, whichever. */
export const markedOf = (value: unknown): Marked | undefined =>
  typeof value === 'object' && value !== null && mark in value ? (value as Marked) : undefined;
