/** Runs a call through as many rounds of questions as it takes, in the way of each lifecycle. */
import { RpcError, TenonError } from '../jsonrpc/errors.ts';
import type { RequestMessage } from '../jsonrpc/message.ts';
import { canonicalJson } from '../protocol/canonical-json.ts';
import { rpcError } from '../protocol/errors.ts';
import type { Fields, Incoming, Outcome, Question } from '../protocol/neutral.ts';
import { unanswered } from './asking/failures.ts';
import type { Journal } from './asking/journal.ts';
import type { StateBinding } from './asking/sealed-state.ts';
import { readReturned, tooManyRounds } from './asking/suspension.ts';
import type { Caller } from './caller.ts';
import type { CallPorts, Keep, Resumption } from './context.ts';
import { handle } from './kernel.ts';
import type { CallUnderWay, Link } from './link.ts';
import type { Settled, Suspension } from './middleware.ts';
import { type Registry, resourceAt } from './registry.ts';
import type { Serving } from './serving.ts';

/** One call of one caller on its way. */
export interface Journey {
  readonly serving: Serving;
  readonly link: Link;
  readonly message: RequestMessage;
  readonly call: Incoming;
  readonly caller: Caller;
  /** Set for a call by which the connection remembers something. */
  readonly keep: Keep | undefined;
}

type Ended = (settled: Settled | RpcError) => void;

/** Begins a call if there is room for it; what it comes to is told to `after` unless it was cancelled before. */
function begin({ link, message, caller, keep }: Journey, after: (run: CallUnderWay) => void): void {
  const run = link.begin(message.id, keep === undefined);
  if (run === undefined) link.settle(message, caller.revision, rpcError('overloaded', 'Too many calls run at once'));
  else after(run);
}

function answer({ link, message, caller }: Journey, run: CallUnderWay, outcome: Outcome | RpcError): void {
  if (link.end(message.id, run)) link.settle(message, caller.revision, outcome);
}

function start(journey: Journey, run: CallUnderWay, ports: CallPorts, ended: Ended, resumption?: Resumption): void {
  const { serving, call, caller } = journey;
  run.present = handle(serving, call, caller, ports, ended, resumption);
}

/** In a session the client is asked by requests of their own, and sees one long call. */
export function runInSession(journey: Journey): void {
  const { serving, link, caller } = journey;
  const put = createPut(journey);
  const ports: CallPorts = {
    emit: (news) => link.notify(caller.revision, news),
    put: serving.replay ? undefined : put,
    unaskable: 'result',
    keep: journey.keep,
    urlSchemes: serving.urlSchemes,
  };
  begin(journey, (run) => {
    const ended: Ended = (settled) => {
      if (settled instanceof RpcError || settled.kind === 'done') return answer(journey, run, settled);
      const patience = new AbortController();
      run.present = { cancel: (reason) => patience.abort(reason) };
      putAll(settled.questions, (question) => put(question, patience.signal)).then(
        (answers) => resume(journey, run, settled.journal, answers, go, patience.signal),
        (error) => answer(journey, run, RpcError.from(error)),
      );
    };
    const go = (resumption?: Resumption): void => start(journey, run, ports, ended, resumption);
    go();
  });
}

/** Begins the next run with what the earlier ones left, unless the call was given up or its answers are of no use. */
async function resume(
  journey: Journey,
  run: CallUnderWay,
  journal: Journal,
  answers: Fields,
  go: (resumption: Resumption) => void,
  patience: AbortSignal,
): Promise<void> {
  const returned = await readReturned(journal.returned, answers);
  if (patience.aborted) return void journey.link.end(journey.message.id, run);
  if (returned instanceof RpcError) answer(journey, run, returned);
  else go({ journal, answers, returned });
}

/** Questions of one call to the client. Those that wait at the same time are one round. */
function createPut({ serving, link, call, caller }: Journey): NonNullable<CallPorts['put']> {
  let rounds = 0;
  let waiting = 0;
  return async (question, signal, hear) => {
    if (waiting === 0) rounds += 1;
    if (rounds > serving.maxRounds) throw tooManyRounds(serving, { method: call.method, target: targetOf(call) });
    waiting += 1;
    try {
      return await link.put(caller.revision, question, signal, hear);
    } catch (error) {
      throw failedToAsk(error, question);
    } finally {
      waiting -= 1;
    }
  };
}

/** What is no answer at all ends the call, as it does where answers come with the call; a refusal the handler hears. */
function failedToAsk(error: unknown, { method }: Question): Error {
  const code = error instanceof TenonError ? error.code : undefined;
  if (code === 'invalid-result') return rpcError('invalid-params', `The answer to ${method} is malformed`);
  return code === 'invalid-outgoing' ? (error as TenonError) : unanswered(error);
}

/** The answers by key. A question that was not answered has its error for an answer; the handler meets it again there. */
async function putAll(
  questions: Suspension['questions'],
  put: (question: Question) => Promise<unknown>,
): Promise<Fields> {
  const heard = async (question: Question): Promise<unknown> => {
    try {
      return await put(question);
    } catch (error) {
      if (error instanceof RpcError) throw error;
      return error;
    }
  };
  const answers = Object.entries(questions).map(async ([key, question]) => [key, await heard(question)] as const);
  return Object.fromEntries(await Promise.all(answers));
}

/** Where every request stands alone, questions travel in the result and what the call knows travels sealed. */
export function runAlone(journey: Journey): void {
  const { serving, link, caller, call } = journey;
  const ports: CallPorts = {
    emit: (news) => link.notify(caller.revision, news),
    put: undefined,
    unaskable: 'error',
    keep: journey.keep,
    urlSchemes: serving.urlSchemes,
  };
  begin(journey, (run) => {
    const ended: Ended = (settled) => {
      if (settled instanceof RpcError || settled.kind === 'done') return answer(journey, run, settled);
      sealed(journey, settled).then(
        (outcome) => answer(journey, run, outcome),
        (error) => {
          serving.failed(error, { method: call.method, target: targetOf(call) });
          answer(journey, run, RpcError.from(error));
        },
      );
    };
    const { state, answers = {} } = call.round ?? {};
    if (state === undefined) return start(journey, run, ports, ended);
    const patience = new AbortController();
    run.present = { cancel: (reason) => patience.abort(reason) };
    serving.sealer.open(state, bindingOf(journey)).then((journal) => {
      if (journal === undefined)
        return answer(journey, run, rpcError('invalid-params', 'requestState is not valid for this call'));
      const go = (resumption: Resumption): void => start(journey, run, ports, ended, resumption);
      return resume(journey, run, journal as Journal, answers, go, patience.signal);
    });
  });
}

async function sealed(journey: Journey, { questions, journal }: Suspension): Promise<Outcome> {
  const state = await journey.serving.sealer.seal(journal, bindingOf(journey));
  return { kind: 'needs-input', questions, state };
}

const targetOf = ({ params }: Incoming): string => String(params.name ?? params.uri ?? '');

function bindingOf({ serving, call, caller }: Journey): StateBinding {
  const registry = serving.registry();
  return {
    server: registry.info.name,
    principal: caller.principal ?? '',
    method: call.method,
    target: targetOf(call),
    given: call.params.arguments ?? null,
    definition: canonicalJson(definitionOf(registry, call) ?? null),
  };
}

/** What the server says of the tool, prompt, resource or template that is called. */
function definitionOf(registry: Registry, call: Incoming): unknown {
  const target = targetOf(call);
  if (call.method === 'tools/call') return registry.tools.get(target)?.record;
  if (call.method === 'prompts/get') return registry.prompts.get(target)?.record;
  return resourceAt(registry, target)?.record;
}
