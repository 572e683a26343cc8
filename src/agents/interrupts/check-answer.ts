/** Whether an answer fits an interrupt: what a program passes wrong is its own error, and uses nothing up. */
import { TenonError } from '../../lib/errors/tenon-error.ts';
import { isRecord } from '../../lib/values/is.ts';
import type { Interrupt, InterruptAnswer } from '../api.ts';

const members = { consent: 'decision', elicitation: 'answers', approval: 'check', task: 'check' } as const;
const examples = {
  consent: "{ decision: 'allow' } or { decision: 'deny', reason: '…' }",
  elicitation: "{ answers: { KEY: { action: 'accept', content: { … } } } } with the keys of interrupt.requests",
  approval: '{ check: true } when it may have been decided',
  task: '{ check: true }',
} as const;

/** Throws `invalid-argument` for an answer that does not belong to the kind of interrupt, or not to its requests. */
export function checkAnswer({ kind, requests }: Pick<Interrupt, 'kind' | 'requests'>, answer: InterruptAnswer): void {
  const given: unknown = answer;
  if (!isRecord(given) || !fits(kind, given))
    throw misfit(`The answer does not fit an interrupt of the kind ${kind}.`, kind);
  if (kind !== 'elicitation' || !isRecord(requests)) return;
  const answers = given.answers as Readonly<Record<string, unknown>>;
  for (const [key, request] of Object.entries(requests)) {
    const isElicitation = (request as { method?: unknown } | null)?.method === 'elicitation/create';
    if (isElicitation && !isElicited(answers[key]))
      throw misfit(`answers.${key} is not an answer to an elicitation.`, kind);
  }
}

function fits(kind: Interrupt['kind'], given: Readonly<Record<string, unknown>>): boolean {
  const value = given[members[kind]];
  if (kind === 'consent') return value === 'allow' || value === 'deny';
  return kind === 'elicitation' ? isRecord(value) : value === true;
}

const actions: ReadonlySet<unknown> = new Set(['accept', 'decline', 'cancel']);

export const isElicited = (answer: unknown): boolean => isRecord(answer) && actions.has(answer.action);

export const misfit = (problem: string, kind: Interrupt['kind']): TenonError =>
  new TenonError('invalid-argument', `resume(): ${problem}`, { hint: `Pass ${examples[kind]}.` });
