/** The conversations of the founding documents, exchanged as they are printed by a client over stdio. */
import { type ConnectOptions, connect, type ProtocolVersion } from 'tenon';
import { beforeAll, expect, it } from 'vitest';
import { bundledProgram } from '../../kit/process/bundled-program.ts';
import { type PrintedLine, printedLines, printedNames } from '../../kit/samples/printed-conversations.ts';

type Json = Record<string, unknown>;

let file = '';
beforeAll(async () => {
  file = await bundledProgram('printed-peer');
});

/** The options of a client that introduces itself as the printed one, and answers as it does. */
function optionsOf(name: string, lines: readonly PrintedLine[], notified: Json[]): ConnectOptions {
  const [{ message: initialize }] = lines as [PrintedLine];
  const { protocolVersion, clientInfo } = initialize.params as { protocolVersion: ProtocolVersion; clientInfo: never };
  const answers = lines.filter(({ from, message }) => from === 'client' && message.method === undefined);
  const [sampled, elicited] = answers.map(({ message }) => message.result as Json);
  const table = name.split('-tasks')[0]?.split('-weather')[0];
  return {
    protocolVersions: [protocolVersion],
    clientInfo,
    compat: {
      ...(table === 'reference' && { errorCodes: 'reference' }),
      ...(name === 'reference-tasks' && { dialects: ['tasks-create'] }),
    },
    handlers: {
      sample: () => sampled as never,
      elicitForm: () => ({
        action: 'accept',
        content: { answer: (elicited as { content: { text: string } }).content.text },
      }),
    },
    onLog: (entry) => notified.push(entry as never),
  };
}

/** The conversations that a client begins by requests alone: sampling by the client has an extension and a test of its own. */
const names = printedNames.filter((name) => name !== 'client-details-sampling');

/** A request of the client, and what it gets: an answer, or none because it is cancelled. */
interface Exchange {
  readonly method: string;
  readonly params: Json;
  readonly outcome: unknown;
  readonly cancelled?: unknown;
}

/** The requests of a client. It refuses a method that its protocol version does not have before anything is sent. */
function exchangesOf(lines: readonly PrintedLine[]): Exchange[] {
  const isRequest = ({ from, message }: PrintedLine): boolean =>
    from === 'client' && message.id !== undefined && typeof message.method === 'string';
  return [...lines.entries()].flatMap(([at, line]): Exchange[] => {
    const { id, method, params } = line.message;
    if (at === 0 || !isRequest(line) || method === 'unknown/method') return [];
    const later = lines.slice(at + 1);
    const isAnswer = ({ from, message }: PrintedLine) => from === 'server' && !message.method && message.id === id;
    const { result, error } = later.find(isAnswer)?.message ?? {};
    const next = later.find(({ from }) => from === 'client')?.message;
    const cancelled = next?.method === 'notifications/cancelled' ? (next.params as Json).reason : undefined;
    const { _meta, ...rest } = { ...(params as Json) };
    const outcome = cancelled === undefined ? (result ?? error) : { code: 'cancelled' };
    return [{ method: String(method), params: rest, outcome, ...(cancelled !== undefined && { cancelled }) }];
  });
}

it.each(names)('sends the requests of %s as they are printed, and reads the answers [S19]', async (name) => {
  const lines = printedLines(name);
  const notified: Json[] = [];
  const target = { command: process.execPath, args: [file], env: { PRINTED: name } };
  await using client = await connect(target, optionsOf(name, lines, notified));
  const exchanges = exchangesOf(lines);
  const outcomes: unknown[] = [];
  for (const { method, params, cancelled } of exchanges) {
    const stopping = new AbortController();
    const onProgress = (): void => stopping.abort(cancelled);
    const options = cancelled === undefined ? {} : { signal: stopping.signal, onProgress };
    outcomes.push(await client.request(method, params, options).catch((error: unknown) => error));
  }
  expect(outcomes).toMatchObject(exchanges.map(({ outcome }) => outcome));
  const logs = lines.filter(({ message }) => message.method === 'notifications/message');
  expect(notified).toEqual(logs.map(({ message }) => message.params));
});
