/** Marked values that handlers return when a string or a structured value does not say enough. */
import { TenonError } from '../../jsonrpc/errors.ts';
import type { CallToolResult, ContentBlock, GetPromptResult } from '../../protocol/generated/types/records.ts';
import { checkBlocks, checkMessages, checkMeta } from './meta.ts';
import type { ServerRequest, UrlElicitation } from './server-requests.ts';

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

/** Questions made by `inputRequired` or `urlElicitationRequired`. */
export interface InputRequired {
  readonly [mark]: true;
  readonly kind: 'needs-input';
  readonly questions: Readonly<Record<string, ServerRequest>>;
  readonly state: unknown;
  /** Whether the call ends with an error that names the questions, in a revision that has one for it. */
  readonly byError: boolean;
}

/** A whole prompt result made by `promptResult`. */
export interface WholePrompt {
  readonly [mark]: true;
  readonly kind: 'prompt';
  readonly result: GetPromptResult;
}

/** Several kinds of content as what a tool returns. */
export function content(...blocks: ContentBlock[]): Content {
  checkBlocks(blocks);
  return { [mark]: true, kind: 'content', blocks };
}

/** Full control over a tool's result: `isError`, `_meta`, content beside structured content. */
export function toolResult(result: CallToolResult): WholeResult {
  checkMeta('result', result?._meta);
  checkBlocks(result?.content);
  return { [mark]: true, kind: 'result', result };
}

/** A prompt with a description or fields of its own. */
export function promptResult(result: GetPromptResult): WholePrompt {
  checkMeta('promptResult', result?._meta);
  checkMessages(result?.messages);
  return { [mark]: true, kind: 'prompt', result };
}

/** Asks by returning: the handler is called again with `ctx.inputResponses` and `ctx.requestState`. */
export const inputRequired = (questions: Readonly<Record<string, ServerRequest>>, state?: unknown): InputRequired => ({
  [mark]: true,
  kind: 'needs-input',
  questions,
  state,
  byError: false,
});

/**
 * Ends the call because the user has to open pages first. The client calls again when they are done, or the handler is
 * called again with `ctx.inputResponses`, as the revision has it.
 */
export function urlElicitationRequired(pages: Readonly<Record<string, UrlElicitation>>): InputRequired {
  const given = Object.values(pages);
  if (given.length === 0 || !given.every((page) => typeof page?.url === 'string')) {
    throw new TenonError('invalid-outgoing-message', 'urlElicitationRequired() takes pages, one or more.', {
      hint: "Write urlElicitationRequired({ key: { message: '…', url: '…' } }), and use inputRequired for other questions.",
    });
  }
  return { [mark]: true, kind: 'needs-input', questions: pages, state: undefined, byError: true };
}

export type Marked = Content | WholeResult | InputRequired | WholePrompt;

/** The value if it is one of these, whichever. */
export const markedOf = (value: unknown): Marked | undefined =>
  typeof value === 'object' && value !== null && mark in value ? (value as Marked) : undefined;
