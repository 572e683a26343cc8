/** Values that handlers return if a string or a structured value is not enough. */
import { TenonError } from '../../lib/errors/tenon-error.ts';
import type {
  CallToolResult,
  ContentBlock,
  GetPromptResult,
  PromptMessage,
} from '../../protocol/generated/types/records.ts';
import { checkBlocks, checkMessages, checkMeta } from './meta.ts';
import type { ServerRequest, UrlElicitation } from './server-requests.ts';

const mark = Symbol('tenon');

/** The result of `content()`. */
export interface Content {
  readonly [mark]: true;
  readonly type: 'content';
  /** The content of the result. */
  readonly blocks: readonly ContentBlock[];
}

/** The result of `toolResult()`. */
export interface WholeResult {
  readonly [mark]: true;
  readonly type: 'result';
  /** The result as the client gets it. */
  readonly result: CallToolResult;
}

/** The result of `inputRequired()` and `urlElicitationRequired()`. */
export interface InputRequired {
  readonly [mark]: true;
  readonly type: 'input-required';
  /** The requests to the client, by key. */
  readonly requests: Readonly<Record<string, ServerRequest>>;
  /** Your own state, which the next round gets as `ctx.requestState`. */
  readonly state: unknown;
  /** Whether the call fails with `url-elicitation-required`, in a revision that has that error. */
  readonly byError: boolean;
}

/** A result of `prompts/get`, as a handler returns it. */
export interface PromptResultInput extends Omit<GetPromptResult, 'messages'> {
  /** The messages, in order. Only servers with the dialect `system-role` may send the role `system`. */
  readonly messages: readonly PromptMessage[];
}

/** The result of `promptResult()`. */
export interface WholePrompt {
  readonly [mark]: true;
  readonly type: 'prompt';
  /** The result as the client gets it. */
  readonly result: PromptResultInput;
}

/** Returns several content blocks from a tool: `return content({ type: 'text', text: 'A map:' }, image)`. */
export function content(...blocks: ContentBlock[]): Content {
  checkBlocks(blocks);
  return { [mark]: true, type: 'content', blocks };
}

/** Returns a whole tool result: with `isError`, `_meta`, or content beside structured content. */
export function toolResult(result: CallToolResult): WholeResult {
  checkMeta('toolResult', result?._meta);
  checkBlocks(result?.content);
  return { [mark]: true, type: 'result', result };
}

/** Returns a whole prompt result: messages with a description or `_meta`. */
export function promptResult(result: PromptResultInput): WholePrompt {
  checkMeta('promptResult', result?._meta);
  checkMessages(result?.messages);
  return { [mark]: true, type: 'prompt', result };
}

/**
 * Return it to request input from the client. The handler runs again with the answers in `ctx.inputResponses` and
 * `state` in `ctx.requestState`.
 */
export const inputRequired = (requests: Readonly<Record<string, ServerRequest>>, state?: unknown): InputRequired => ({
  [mark]: true,
  type: 'input-required',
  requests,
  state,
  byError: false,
});

/**
 * Return it where the user has to open URLs before the call can run. In a session the call fails with
 * `url-elicitation-required`, and the client calls again; without sessions the handler runs again with
 * `ctx.inputResponses`.
 */
export function urlElicitationRequired(elicitations: Readonly<Record<string, UrlElicitation>>): InputRequired {
  const all = Object.values(elicitations);
  if (all.length === 0 || !all.every((one) => typeof one?.url === 'string')) {
    throw new TenonError('invalid-outgoing-message', 'urlElicitationRequired() needs one URL elicitation or more.', {
      hint: "Write urlElicitationRequired({ key: { message: '…', url: '…' } }), or use inputRequired() for other requests.",
    });
  }
  return { [mark]: true, type: 'input-required', requests: elicitations, state: undefined, byError: true };
}

export type Marked = Content | WholeResult | InputRequired | WholePrompt;

/** The value, if it is the result of one of the functions above. */
export const markedOf = (value: unknown): Marked | undefined =>
  typeof value === 'object' && value !== null && mark in value ? (value as Marked) : undefined;
