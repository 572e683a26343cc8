/** Rules on requests: each has one outcome, its own result or a named error, and answers reach the handler. */
import { type EventOf, groupBy, type HistoryEvent, ofType } from './events.ts';
import { type Violation, violation } from './violations.ts';

type Request = EventOf<'request'>;
type Outcome = EventOf<'result'> | EventOf<'error'>;

export function checkRequests(history: readonly HistoryEvent[]): Violation[] {
  const outcomes = groupBy<Outcome>(
    [...ofType(history, 'result'), ...ofType(history, 'error')],
    (each) => each.request,
  );
  const requests = new Map(ofType(history, 'request').map((request) => [request.request, request]));
  return [
    ...[...requests.values()].flatMap((request) => checkRequest(request, outcomes.get(request.request) ?? [])),
    ...[...outcomes].flatMap(([name, given]) =>
      requests.has(name) ? [] : [violation('outcome-without-request', name, ...given)],
    ),
    ...checkEffectsOfResults(history, requests),
    ...checkAnswers(history, requests, outcomes),
  ];
}

function checkRequest(request: Request, outcomes: readonly Outcome[]): Violation[] {
  const { request: name, token, principal } = request;
  const found: Violation[] = [];
  if (outcomes.length === 0) found.push(violation('no-outcome', name, request));
  if (outcomes.length > 1) found.push(violation('two-outcomes', name, request, ...outcomes));
  for (const outcome of outcomes) {
    if (outcome.type === 'error') {
      if (!isNamed(outcome.code)) found.push(violation('unnamed-error', name, request, outcome));
      continue;
    }
    if (outcome.token !== token) found.push(violation('result-of-another-request', name, request, outcome));
    if (outcome.owner !== principal) found.push(violation('result-of-another-principal', name, request, outcome));
  }
  return found;
}

/** Words that name nothing. */
const emptyNames = new Set(['', 'unknown', 'error', 'internal-error', 'server-error', 'undefined']);

/** Whether an error says what happened: a word of docs/errors.md, except those that every fault could have. */
export const isNamed = (code: string): boolean => /^[a-z][a-z\d-]*$/.test(code) && !emptyNames.has(code);

function checkEffectsOfResults(history: readonly HistoryEvent[], requests: ReadonlyMap<string, Request>): Violation[] {
  const ran = new Set(ofType(history, 'effect').map(({ principal, token }) => JSON.stringify([principal, token])));
  return ofType(history, 'result').flatMap((result) => {
    const request = requests.get(result.request);
    if (request?.hasEffect !== true || ran.has(JSON.stringify([request.principal, request.token]))) return [];
    return [violation('result-without-effect', request.request, request, result)];
  });
}

function checkAnswers(
  history: readonly HistoryEvent[],
  requests: ReadonlyMap<string, Request>,
  outcomes: ReadonlyMap<string, readonly Outcome[]>,
): Violation[] {
  const found: Violation[] = [];
  const questions = new Map(ofType(history, 'server-request').map((each) => [each.question, each]));
  for (const question of questions.values()) {
    const request = requests.get(question.request);
    if (request !== undefined && request.principal !== question.owner)
      found.push(violation('server-request-of-another-principal', question.question, request, question));
  }
  const given = ofType(history, 'answer');
  for (const answer of given) {
    const request = questions.get(answer.question)?.request ?? '';
    for (const outcome of outcomes.get(request) ?? []) {
      const timedOut = outcome.type === 'error' && outcome.code === 'timeout' && answer.isCertain !== false;
      const lost = timedOut || (outcome.type === 'result' && !outcome.answers?.includes(answer.answer));
      if (lost) found.push(violation('answer-lost', request, answer, outcome));
    }
  }
  const own = new Set(given.map(({ question, answer }) => JSON.stringify([questions.get(question)?.request, answer])));
  for (const result of ofType(history, 'result')) {
    const foreign = result.answers?.filter((answer) => !own.has(JSON.stringify([result.request, answer]))) ?? [];
    // A repeat under an idempotency key gets the result of the first request, with its answers.
    const isRepeat = requests.get(result.request)?.idempotencyKey !== undefined;
    if (foreign.length > 0 && !isRepeat) found.push(violation('answer-of-another-request', result.request, result));
  }
  return found;
}
