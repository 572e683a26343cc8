/** One connection of a client, from its first message to its last: opened, spoken over, and ended once. */
import { TenonError } from '../jsonrpc/errors.ts';
import type { PeerCounts } from '../jsonrpc/peer.ts';
import type { Introduction, News } from '../protocol/neutral.ts';
import type { Revision } from '../protocol/revision.ts';
import type { Answering, AnswerTime } from './answering.ts';
import { declares } from './client.ts';
import { openConnection } from './connection.ts';
import { createLiveness } from './liveness.ts';
import { fallsBack, handshakeOnly } from './negotiate.ts';
import { type Opened, open } from './opening.ts';
import type { ConnectOptions, Expectation } from './options.ts';
import type { Pages } from './pages.ts';
import type { SpokenChannel } from './spoken-channel.ts';

export interface Line extends Opened {
  close(reason?: Error): void;
  readonly isOver: boolean;
  /** Whether the server could not be discovered, and not only was slow to answer, so that hands were shaken. */
  readonly fellBack: boolean;
  /** Settles when nothing can be said any more, with what broke the connection off, if anything did. */
  readonly ended: Promise<{ readonly reason: Error | undefined }>;
}

/** What all connections of a client have in common. */
export interface LineSetting extends AnswerTime {
  readonly accepted: readonly Revision[];
  readonly introduction: () => Introduction;
  readonly answering: Answering;
  readonly pages: Pages;
  readonly counts: PeerCounts;
  readonly maxRounds: number;
  readonly trace: ConnectOptions['trace'];
  readonly timeoutMs: number;
  readonly probeTimeoutMs: number;
  readonly pingEveryMs: number | undefined;
  /** Hears of every connection that has to be gone before the client is. */
  held(gone: Promise<unknown>): void;
  told(news: News): void;
  fault(error: Error): void;
}

/** What may be different for one connection: the channel's owner knows more of it than the user. */
export type LineOptions = Pick<ConnectOptions, 'strict' | 'limits' | 'expects'> & {
  /** Shakes hands at once, without a look whether the server can be discovered. */
  readonly handshake?: boolean;
  readonly fault?: (error: Error) => void;
};

/** `due` is the moment by which it has to be open. */
export async function openLine(
  channel: SpokenChannel,
  setting: LineSetting,
  options: LineOptions,
  due: number,
  signal?: AbortSignal,
): Promise<Line> {
  const waitingQuestions = new AbortController();
  let end: (how: { reason: Error | undefined }) => void = () => {};
  const ended = new Promise<{ reason: Error | undefined }>((resolve) => {
    end = resolve;
  });
  const { pingEveryMs } = setting;
  const liveness = pingEveryMs === undefined ? undefined : createLiveness(setting.deadlines, pingEveryMs);
  const closed = (reason: Error | undefined): void => {
    liveness?.end();
    waitingQuestions.abort(endedWhileAsked(reason));
    end({ reason });
  };
  const { told, answering, pages, maxRounds, introduction, counts } = setting;
  const fault = options.fault ?? setting.fault;
  const { deadlines, answerTimeoutMs } = setting;
  const ports = { told, closed, fault, heard: liveness?.heard };
  const connection = openConnection(channel, pages.answers, ports, { ...options, deadlines, answerTimeoutMs, counts });
  setting.held(ended.then(() => channel.finished));
  const hangUp = (): void => connection.close(signal?.reason as Error);
  signal?.addEventListener('abort', hangUp, { once: true });
  try {
    // Whoever wanted it may have given it up while the channel was made.
    signal?.throwIfAborted();
    const { peer, speak } = connection;
    const { trace } = setting;
    const spoken = { maxRounds, answering, pages, over: waitingQuestions.signal, trace };
    const accepted = acceptedBy(setting, options);
    const { probeTimeoutMs } = setting;
    const hearsLate = channel.speak === undefined;
    const opened = await open(peer, {
      accepted,
      introduction,
      ports: spoken,
      speak,
      left: () => Math.max(1, Math.ceil(due - deadlines.now())),
      probeTimeoutMs,
      deadlines,
      hearsLate,
    });
    for (const path of options.expects ?? []) if (!declares(opened.capabilities, path)) throw unmet(path);
    liveness?.begin(opened.conversation, connection.close);
    return {
      ...opened,
      close: connection.close,
      ended,
      fellBack: !opened.wasSilent && fallsBack(setting.accepted, opened.conversation.revision),
      get isOver() {
        return channel.state === 'closed';
      },
    };
  } catch (error) {
    const told = error instanceof TenonError && error.code === 'timeout' ? tooSlow(error, setting) : error;
    connection.close(told as Error);
    throw told;
  } finally {
    signal?.removeEventListener('abort', hangUp);
  }
}

/** Where no accepted revision begins with a handshake, there is no choice. */
function acceptedBy({ accepted }: LineSetting, { handshake }: LineOptions): readonly Revision[] {
  const rest = handshake ? handshakeOnly(accepted) : accepted;
  return rest.length === 0 ? accepted : rest;
}

/** One request may have had less than the whole time: others came before it. */
const tooSlow = ({ details: { method }, cause }: TenonError, { timeoutMs }: LineSetting): TenonError =>
  new TenonError('timeout', `${method} had no answer within ${timeoutMs} ms of connecting.`, {
    details: { method, timeoutMs },
    ...(cause !== undefined && { cause }),
  });

const endedWhileAsked = (cause: Error | undefined): TenonError =>
  new TenonError('connection-closed', 'The connection ended while a question waited.', { cause });

const unmet = (path: Expectation): TenonError =>
  new TenonError('capability-not-supported', `The server did not declare ${path}, which was expected of it.`, {
    details: { capability: path },
  });
