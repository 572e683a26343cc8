/** What stays the same for a client over all of its connections. */
import { createDeadlines, type Deadlines } from '../jsonrpc/deadlines.ts';
import { RpcError, TenonError } from '../jsonrpc/errors.ts';
import { guarded } from '../jsonrpc/guarded.ts';
import { noneDropped } from '../jsonrpc/peer.ts';
import { withDialects } from '../protocol/dialects/dialects.ts';
import { withExtensions } from '../protocol/extensions/with-extensions.ts';
import type { Implementation, LoggingLevel } from '../protocol/generated/types/records.ts';
import type { Fields, Introduction, News, Question } from '../protocol/neutral.ts';
import { createProgress, type Progress } from '../protocol/progress.ts';
import { chosenRevisions } from '../protocol/revisions/chosen.ts';
import { type Answers, answer, capabilitiesOf, unanswered } from './answers.ts';
import type { LogEntry } from './connection.ts';
import { type Extensions, readExtensions } from './extensions.ts';
import type { LineSetting } from './line.ts';
import type { ConnectOptions } from './options.ts';
import { createPages } from './pages.ts';

const ourselves: Implementation = { name: 'tenon', version: '0.1.0' };

export interface ClientSetting extends LineSetting {
  readonly deadlines: Deadlines;
  readonly progress: Progress;
  readonly extensions: Extensions;
  /** How long progress can hold off the time-out of one request. */
  readonly totalMs: number;
  /** The level of logs that the user asked for. */
  logLevel: LoggingLevel | undefined;
}

/** `changed` hears of changes on the server. */
export function createSetting(
  options: ConnectOptions,
  changed: (news: News) => void,
  held: (gone: Promise<unknown>) => void,
): ClientSetting {
  const { timeoutMs = 60_000, probeTimeoutMs = 5000, maxRounds = 16 } = options;
  const { deadlines = createDeadlines(), answerTimeoutMs = 10 * 60_000, trace } = options;
  const pages = createPages(options.answers ?? {}, deadlines);
  const { answers } = pages;
  const counts = noneDropped();
  const progress = createProgress(counts);
  const fault = createFault(options);
  const extensions = readExtensions(options.extensions);
  const setting: ClientSetting = {
    accepted: chosenRevisions(options.revisions).map((revision) =>
      withExtensions(withDialects(revision, options), extensions.contracts),
    ),
    introduction: (): Introduction => ({
      client: options.client ?? ourselves,
      capabilities: { ...capabilitiesOf(answers), ...(extensions.declared && { extensions: extensions.declared }) },
      logLevel: setting.logLevel,
    }),
    answering: { answer: createAnswer(answers, fault), deadlines, answerTimeoutMs },
    answerTimeoutMs,
    deadlines,
    pages,
    counts,
    progress,
    extensions,
    maxRounds,
    timeoutMs,
    totalMs: options.totalMs ?? 10 * timeoutMs,
    probeTimeoutMs,
    pingEveryMs: options.pingEveryMs,
    trace,
    logLevel: options.logLevel,
    fault,
    held,
    told(news) {
      if (news.method === 'notifications/message')
        return tellUser(fault, 'a log entry', () => options.log?.(entryOf(news)));
      if (news.method === 'notifications/progress') return progress.told(news);
      if (news.method === 'notifications/elicitation/complete')
        return tellUser(fault, 'a page that is done', () => pages.told(news));
      if (!extensions.told(news, fault)) changed(news);
    },
  };
  return setting;
}

type Fault = (error: Error) => void;

/** Whoever hears of faults has nobody to hear of its own. */
const createFault =
  ({ fault }: ConnectOptions): Fault =>
  (error) =>
    guarded(() => fault?.(error));

/** Tells what a user wrote of something; what it throws is told in turn. */
export const tellUser = (fault: Fault, what: string, tell: () => unknown): void =>
  guarded(tell, (cause) => fault(new TenonError('listener-failed', `What was told of ${what} threw.`, { cause })));

/** Nobody waits where a question came in a result, so nobody hears how far its answer is. */
const unheard = (): void => {};

/** Answers a question that came in a result. What was given up, or refused on purpose, is no fault of the answer. */
const createAnswer =
  (answers: Answers, fault: Fault) =>
  async (question: Question, signal: AbortSignal, key: string): Promise<Fields> => {
    try {
      return await answer(answers, question, signal, unheard);
    } catch (error) {
      const failure = unanswered(error, question, key);
      if (!signal.aborted && !(error instanceof RpcError)) fault(failure);
      throw failure;
    }
  };

const entryOf = ({ params = {} }: News): LogEntry => ({
  level: params.level as LoggingLevel,
  logger: params.logger as string | undefined,
  data: params.data,
});
