/** Answers requests of servers by asking the person at the terminal: forms, URLs to open, and what a model would answer. */
import type {
  ClientHandlers,
  ElicitFormRequest,
  ElicitFormResult,
  HandlerContext,
} from '../../client/answers/handlers.ts';
import { planForm } from '../../json-schema/form-plan.ts';
import { browserProgram, openBrowser } from '../../node/credentials/open-browser.ts';
import { rpcError } from '../../protocol/errors.ts';
import type {
  CreateMessageRequestParams,
  CreateMessageResult,
  ElicitResult,
} from '../../protocol/generated/types/records.ts';
import type { Io } from '../io/io.ts';
import { PromptCanceled, type Prompts } from '../io/prompts.ts';
import { askForm } from './ask-form.ts';

/** Handlers for a terminal. `server` is the name that is shown with each request. */
export function terminalHandlers({ prompts }: Pick<Io, 'prompts'>, server = 'The server'): ClientHandlers {
  return {
    elicitForm: (request, context) => orCancel(() => fillIn(prompts, server, request, context)),
    elicitUrl: ({ message, url }, { signal }) =>
      orCancel(() => visit(prompts, `${server} asks: ${message}`, url, signal)),
    onElicitationComplete: ({ url }) => prompts.note(`Complete: ${url}`),
    sample: (request, context) => writeAnswer(prompts, server, request, context),
  };
}

async function orCancel<T>(ask: () => Promise<T>): Promise<T | { readonly action: 'cancel' }> {
  try {
    return await ask();
  } catch (error) {
    if (error instanceof PromptCanceled) return { action: 'cancel' };
    throw error;
  }
}

/** Shows the filled-in form before it is sent, so that it can be changed. */
async function fillIn(
  prompts: Prompts,
  server: string,
  { message, requestedSchema }: ElicitFormRequest,
  { signal }: HandlerContext,
): Promise<ElicitFormResult> {
  const plan = planForm(requestedSchema);
  const isEmpty = Object.keys(requestedSchema.properties).length === 0;
  const isAnswered = await prompts.choose({
    message: `${server} asks: ${message}`,
    options: [
      { value: true, label: isEmpty ? 'Accept' : 'Answer' },
      { value: false, label: 'Decline' },
    ],
    signal,
  });
  if (!isAnswered) return { action: 'decline' };
  if (isEmpty) return { action: 'accept', content: {} };
  for (;;) {
    const content = await askForm(plan, prompts, { signal });
    const action = await prompts.choose({
      message: `Send this?\n${JSON.stringify(content, null, 2)}`,
      options: [
        { value: 'accept', label: 'Send' },
        { value: 'change', label: 'Fill in again' },
        { value: 'decline', label: 'Decline' },
      ] as const,
      signal,
    });
    if (action === 'accept') return { action, content: content as NonNullable<ElicitFormResult['content']> };
    if (action === 'decline') return { action };
  }
}

/** The URL is shown in full, with its host, before anything opens. */
async function visit(prompts: Prompts, message: string, url: string, signal: AbortSignal): Promise<ElicitResult> {
  const canOpen = browserProgram() !== undefined;
  const chosen = await prompts.choose({
    message: `${message}\n${url}\nIt leads to ${new URL(url).host}.`,
    options: [
      ...(canOpen ? [{ value: 'open', label: 'Open it in the browser' }] : []),
      { value: 'accept', label: canOpen ? 'I open it myself' : 'I open it' },
      { value: 'decline', label: 'Decline' },
    ],
    signal,
  });
  if (chosen === 'decline') return { action: 'decline' };
  if (chosen === 'open') openBrowser(new URL(url));
  return { action: 'accept' };
}

/** There is no model here: the person writes what one would answer. */
async function writeAnswer(
  prompts: Prompts,
  server: string,
  request: CreateMessageRequestParams,
  { signal }: HandlerContext,
): Promise<CreateMessageResult> {
  try {
    const text = await prompts.text({
      message: `${server} asks a model. Write its answer:\n${shownMessages(request)}`,
      signal,
    });
    return {
      role: 'assistant',
      model: 'a person at the terminal',
      content: { type: 'text', text },
      stopReason: 'endTurn',
    };
  } catch (error) {
    if (error instanceof PromptCanceled) throw rpcError('user-rejected', 'The user rejected the sampling request');
    throw error;
  }
}

function shownMessages({ systemPrompt, messages }: CreateMessageRequestParams): string {
  const shown = messages.map(({ role, content }) => `${role}: ${[content].flat().map(shownContent).join(' ')}`);
  return [...(systemPrompt === undefined ? [] : [`system: ${systemPrompt}`]), ...shown].join('\n');
}

const shownContent = (content: { readonly type: string; readonly text?: unknown }): string =>
  content.type === 'text' ? String(content.text) : `[${content.type}]`;
