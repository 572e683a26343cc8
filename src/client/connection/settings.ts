/** What stays the same for a client over all of its connections. */
import { type Deadlines, processDeadlines } from '../../jsonrpc/deadlines.ts';
import { RpcError, TenonError } from '../../jsonrpc/errors.ts';
import { createPeerCounts, type PeerCounts } from '../../jsonrpc/peer-counts.ts';
import { runSafely } from '../../jsonrpc/run-safely.ts';
import { withDialects } from '../../protocol/dialects/dialects.ts';
import { withExtensions } from '../../protocol/extensions/with-extensions.ts';
import type { Implementation, LoggingLevel } from '../../protocol/generated/types/records.ts';
import type { Fields, Introduction, News, Question } from '../../protocol/neutral.ts';
import { Progress } from '../../protocol/progress.ts';
import type { Revision } from '../../protocol/revision.ts';
import { chosenRevisions } from '../../protocol/revisions/chosen.ts';
import type { Answering } from '../answers/answering.ts';
import { type Answers, answer, capabilitiesOf, unanswered } from '../answers/handlers.ts';
import { Pages } from '../answers/url-elicitations.ts';
import { type Extensions, readExtensions } from '../api/extensions.ts';
import type { ConnectOptions, LogEntry } from '../api/options.ts';
import { Ending } from './closing.ts';
import type { LineSetting } from './connection.ts';

const ourselves: Implementation = { name: 'tenon', version: '0.1.0' };

/** Where news goes that no part of the setting is for. */
export interface SettingPorts {
  news(news: News): void;
  /** News may not have come. */
  missed(): void;
}

export class ClientSetting implements LineSetting, Answering {
  readonly accepted: readonly Revision[];
  readonly deadlines: Deadlines;
  readonly pages: Pages;
  readonly progress: Progress;
  readonly extensions: Extensions;
  readonly counts: PeerCounts = createPeerCounts();
  readonly ending = new Ending();
  readonly timeoutMs: number;
  /** How long progress can hold off the time-out of one request. */
  readonly totalMs: number;
  /** The level of logs that the user asked for. */
  logLevel: LoggingLevel | undefined;
  readonly #options: ConnectOptions;
  readonly #ports: SettingPorts;

  constructor(options: ConnectOptions, ports: SettingPorts) {
    this.#options = options;
    this.#ports = ports;
    this.deadlines = options.deadlines ?? processDeadlines();
    this.pages = new Pages(options.answers ?? noAnswers, this.deadlines);
    this.progress = new Progress(this.counts);
    this.extensions = readExtensions(options.extensions);
    this.accepted = acceptedBy(options, this.extensions);
    this.timeoutMs = options.timeoutMs ?? 60_000;
    this.totalMs = options.totalMs ?? 10 * this.timeoutMs;
    this.logLevel = options.logLevel;
  }

  get answerTimeoutMs(): number {
    return this.#options.answerTimeoutMs ?? 10 * 60_000;
  }

  get maxRounds(): number {
    return this.#options.maxRounds ?? 16;
  }

  get probeTimeoutMs(): number {
    return this.#options.probeTimeoutMs ?? 5000;
  }

  get pingEveryMs(): number | undefined {
    return this.#options.pingEveryMs;
  }

  get trace(): ConnectOptions['trace'] {
    return this.#options.trace;
  }

  get answering(): Answering {
    return this;
  }

  introduction(): Introduction {
    const { declared } = this.extensions;
    return {
      client: this.#options.client ?? ourselves,
      capabilities: { ...capabilitiesOf(this.pages.answers), ...(declared && { extensions: declared }) },
      logLevel: this.logLevel,
    };
  }

  /** Answers a question that came in a result. What was given up, or refused on purpose, is no fault of the answer. */
  async answer(question: Question, signal: AbortSignal, key: string): Promise<Fields> {
    try {
      return await answer(this.pages.answers, question, signal, unheard);
    } catch (error) {
      const failure = unanswered(error, question, key);
      if (!signal.aborted && !(error instanceof RpcError)) this.fault(failure);
      throw failure;
    }
  }

  told(news: News): void {
    const { method } = news;
    if (method === 'notifications/message')
      return this.tellUser('a log entry', () => this.#options.log?.(entryOf(news)));
    if (method === 'notifications/progress') return this.progress.told(news);
    if (method === 'notifications/elicitation/complete')
      return this.tellUser('a page that is done', () => this.pages.told(news));
    if (!this.extensions.told(news, (error) => this.fault(error))) this.#ports.news(news);
  }

  missed(): void {
    this.#ports.missed();
  }

  /** Whoever hears of faults has nobody to hear of its own. */
  fault(error: Error): void {
    runSafely(() => this.#options.fault?.(error));
  }

  /** Tells what a user wrote of something; what it throws is told in turn. */
  tellUser(what: string, tell: () => unknown): void {
    runSafely(tell, (cause) =>
      this.fault(new TenonError('listener-failed', `What was told of ${what} threw.`, { cause })),
    );
  }

  /** Nothing is timed for this client any more, and no timer stays behind for it. Deadlines of the user are the user's. */
  end(): void {
    if (this.#options.deadlines === undefined) this.deadlines.rest?.();
  }
}

const noAnswers: Answers = {};

/** Nobody waits where a question came in a result, so nobody hears how far its answer is. */
const unheard = (): void => {};

const acceptedBy = (options: ConnectOptions, { contracts }: Extensions): readonly Revision[] =>
  chosenRevisions(options.revisions).map((revision) => withExtensions(withDialects(revision, options), contracts));

const entryOf = ({ params = {} }: News): LogEntry => ({
  level: params.level as LoggingLevel,
  logger: params.logger as string | undefined,
  data: params.data,
});
