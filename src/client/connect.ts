/** Connects to a server and gives a client, with the revision settled once. */
import { createDeadlines } from '../jsonrpc/deadlines.ts';
import { RpcError, TenonError } from '../jsonrpc/errors.ts';
import { withDialects } from '../protocol/dialects/dialects.ts';
import type { Implementation, LoggingLevel } from '../protocol/generated/types/records.ts';
import type { Fields, Introduction, News, Question } from '../protocol/neutral.ts';
import { createProgress } from '../protocol/progress.ts';
import { chosenRevisions } from '../protocol/revisions/chosen.ts';
import type { Channel } from '../transport/channel.ts';
import { memoryChannels } from '../transport/memory.ts';
import { type Answers, answer, capabilitiesOf, unanswered } from './answers.ts';
import { type Client, declares } from './client.ts';
import { type LogEntry, openConnection } from './connection.ts';
import { createFeatures } from './features.ts';
import { open } from './opening.ts';
import type { ConnectOptions } from './options.ts';
import { checkConnectOptions } from './options-check.ts';
import { createPages } from './pages.ts';
import { createSubscriptions, type Subscriptions } from './subscriptions.ts';

/** Anything that serves a channel: a server in this process. */
export interface Acceptor {
  accept(channel: Channel): unknown;
}

const ourselves: Implementation = { name: 'tenon', version: '0.1.0' };

/** Connects to a server in this process, or over a channel. The server's type, where it is known, types the client. */
export async function connect<S = unknown>(
  target: (S & Acceptor) | Channel,
  options: ConnectOptions = {},
): Promise<Client<S>> {
  checkConnectOptions(options);
  const { timeoutMs = 60_000, probeTimeoutMs = Math.min(timeoutMs, 5000), maxRounds = 16 } = options;
  const { deadlines = createDeadlines(), answerTimeoutMs = 10 * 60_000 } = options;
  const accepted = chosenRevisions(options.revisions).map((revision) => withDialects(revision, options));
  const pages = createPages(options.answers ?? {}, deadlines);
  const { answers } = pages;
  let logLevel: LoggingLevel | undefined = options.logLevel;
  let subscriptions: Subscriptions | undefined;
  const listening = new AbortController();
  let end = (): void => {};
  const over = new Promise<void>((resolve) => {
    end = resolve;
  });
  const fault = createFault(options);
  const told = (news: News): void => {
    if (news.method === 'notifications/message') return options.log?.(entryOf(news));
    if (news.method === 'notifications/progress') return progress.told(news);
    if (news.method === 'notifications/elicitation/complete') return pages.told(news);
    subscriptions?.told(news);
  };
  const closed = (reason: Error | undefined): void => {
    subscriptions?.closed(reason);
    tellClosed(options, fault, reason);
    listening.abort(
      new TenonError('connection-closed', 'The connection ended while a question waited.', { cause: reason }),
    );
    // Those of others may serve on.
    if (options.deadlines === undefined) deadlines.end();
    end();
  };
  const channel = channelTo(target);
  const connection = openConnection(
    channel,
    answers,
    { told, closed, fault },
    { ...options, deadlines, answerTimeoutMs },
  );
  const progress = createProgress(connection.peer.counts);
  const introduction = (): Introduction => ({
    client: options.client ?? ourselves,
    capabilities: { ...capabilitiesOf(answers), ...(options.extensions && { extensions: options.extensions }) },
    logLevel,
  });
  const answering = { answer: createAnswer(answers, fault), deadlines, answerTimeoutMs };
  const ports = { maxRounds, answering, pages, over: listening.signal };
  try {
    const { peer, speak } = connection;
    const opened = await open(peer, { accepted, introduction, ports, speak, timeoutMs, probeTimeoutMs });
    for (const path of options.expects ?? []) {
      if (!declares(opened.capabilities, path)) throw unmet(path);
    }
    subscriptions = createSubscriptions(opened, { deadlines, timeoutMs });
    const client = createFeatures<S>(opened, {
      counts: connection.peer.counts,
      progress,
      subscriptions,
      timeoutMs,
      outputs: options.outputs,
      hasRoots: answers.roots !== undefined,
      fault,
      setLogLevel: (level) => (logLevel = level),
      async close() {
        connection.close();
        await over;
        await channel.finished;
      },
    });
    if (logLevel !== undefined && declares(opened.capabilities, 'logging')) await client.setLogLevel(logLevel);
    return client;
  } catch (error) {
    connection.close(error as Error);
    throw error;
  }
}

type Fault = (error: Error) => void;

/** Whoever hears of faults has nobody to hear of its own. */
const createFault =
  ({ fault }: ConnectOptions): Fault =>
  (error) => {
    try {
      fault?.(error);
    } catch {}
  };

function tellClosed({ closed }: ConnectOptions, fault: Fault, reason: Error | undefined): void {
  try {
    closed?.(reason);
  } catch (cause) {
    fault(new TenonError('listener-failed', 'What was told of the end of the connection threw.', { cause }));
  }
}

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

const unmet = (path: string): TenonError =>
  new TenonError('capability-not-supported', `The server did not declare ${path}, which was expected of it.`, {
    details: { capability: path },
  });

const entryOf = ({ params = {} }: News): LogEntry => ({
  level: params.level as LoggingLevel,
  logger: params.logger as string | undefined,
  data: params.data,
});

/** A server in this process is reached through a pair of channels, by the same text as any other. */
function channelTo(target: Acceptor | Channel): Channel {
  if (has(target, 'open') && has(target, 'send')) return target as Channel;
  if (!has(target, 'accept')) throw unreachable(target);
  const [here, there] = memoryChannels();
  (target as Acceptor).accept(there);
  return here;
}

const has = (target: unknown, method: string): boolean =>
  typeof target === 'object' && target !== null && typeof (target as Fields)[method] === 'function';

const unreachable = (target: unknown): TenonError =>
  new TenonError('invalid-argument', `connect() cannot reach ${nameOf(target)}.`, {
    hint: 'Pass a command on Node, a server made by createServer, or a channel, such as one of memoryChannels().',
  });

const nameOf = (target: unknown): string =>
  typeof target === 'object' && target !== null
    ? `an object with ${Object.keys(target).join(', ') || 'no fields'}`
    : String(JSON.stringify(target));
