/** `tenon record`: stands between a client and a server, and records what they exchange. */

import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { createHttpSessions } from '../../../capture/http/sessions.ts';
import type { ServerLike } from '../../../client/connect.ts';
import { readHttpTarget } from '../../../client/http/target.ts';
import type { CaptureFileOptions } from '../../../node/capture-options.ts';
import { type CaptureFile, captureToFile } from '../../../node/capture-to-file.ts';
import type { CommandTarget } from '../../../node/child/command-target.ts';
import { type HttpTarget, openTransport, type Target } from '../../../node/connect.ts';
import { listenFetch } from '../../../node/listen-fetch.ts';
import { createMemoryTransports } from '../../../transport/memory.ts';
import { type ReportTap, type Tap, tapConnection } from '../../../transport/tap.ts';
import { tappedTransport } from '../../../transport/tapped-transport.ts';
import type { Transport } from '../../../transport/transport.ts';
import { createHttpProxy } from '../../capture/http-proxy.ts';
import { joinTransports } from '../../capture/join-transports.ts';
import { TransportPeer } from '../../capture/transport-peer.ts';
import type { CommandResult, RunCommand } from '../../io/command.ts';
import type { Given } from '../../io/given.ts';
import type { Io } from '../../io/io.ts';
import { interrupted, portOf } from '../../io/until-closed.ts';
import { withStoredAuth } from '../../target/open-client.ts';
import { readTarget } from '../../target/read-target.ts';
import { usageError } from '../../usage-error.ts';

export const run: RunCommand = async (given) => {
  const [file = ''] = given.words;
  const port = given.text('listen');
  if (given.isJson && port === undefined)
    throw usageError('--json cannot be used on stdio: messages are printed there.', 'Leave it out, or use --listen.');
  for (const option of ['protocol-version', 'timeout'])
    if (given.text(option) !== undefined)
      throw usageError(`--${option} has no effect on tenon record.`, 'The client and the server choose it.');
  const { target } = await readTarget(given);
  const listening = port === undefined ? undefined : portOf('listen', port);
  const capture = newCapture(file, given.io, { keepAnswers: given.flag('keep-answers') });
  try {
    if (listening === undefined) await recordStdio(given, target, capture);
    else await recordHttp(given, target, capture, listening);
  } finally {
    capture.end();
  }
  return recorded(given, capture);
};

function recorded({ io, isJson }: Given, { file, events }: NewCapture): CommandResult {
  // On stdio, standard output belongs to the messages.
  if (!isJson) io.err(`tenon: recorded ${events} events to ${file}.\n`);
  return { result: { file, events }, text: '' };
}

/** The client has started this process. */
async function recordStdio(given: Given, target: Target, { tap }: CaptureFile): Promise<void> {
  const server = await openTapped(given, target, tap);
  const client = await given.io.openStdio();
  void interrupted(given.io).then(() => client.close());
  const reason = await joinTransports(client, server);
  await Promise.all([client.finished, server.finished]);
  if (reason !== undefined) throw reason;
}

/** Clients connect to a port of this machine. */
async function recordHttp(given: Given, target: Target, { tap }: CaptureFile, port: number): Promise<void> {
  const onFailed = ({ message }: Error): void => given.io.err(`tenon: ${message}\n`);
  const sessions = createHttpSessions(() => new TransportPeer(openTapped(given, target, tap), onFailed));
  const answer = isUrl(target) ? createHttpProxy({ ...readHttpTarget(target), tap }) : sessions.fetch;
  const service = await listenFetch(answer, { port });
  given.emit({ url: service.url }, `Recording at ${service.url}`);
  await interrupted(given.io);
  sessions.close();
  await service.close();
}

/** The transport to a server, as a tap of its client sees it. */
async function openTapped(given: Given, target: Target, tap: Tap): Promise<Transport> {
  const report = tapConnection(tap);
  return tappedTransport(await open(given, target, report), report, 'client');
}

async function open(given: Given, target: Target, report: ReportTap): Promise<Transport> {
  if (!isServer(target)) {
    const onWarning = ({ message }: Error): void => given.io.err(`tenon: ${message}\n`);
    return openTransport(withStoredAuth(target, given.io) as CommandTarget | HttpTarget, { onWarning }, report);
  }
  const [client, server] = createMemoryTransports();
  report({ kind: 'open', side: 'client', transport: 'memory', peer: given.target ?? '' });
  target.accept(server);
  return client;
}

const isServer = (target: Target): target is Target & ServerLike => typeof target === 'object' && 'accept' in target;

const isUrl = (target: Target): target is HttpTarget => typeof target === 'object' && 'url' in target;

/**
 * Files of one name that `tenon record` writes.
 * @limit capture
 * @beyond it exits with 2
 * @code invalid-argument
 */
const maxFiles = 1000;

/** A new file for a capture. */
interface NewCapture extends CaptureFile {
  readonly file: string;
}

/** If the file exists, a number is added: a client may start the same command many times. */
function newCapture(name: string, { cwd }: Io, options: CaptureFileOptions): NewCapture {
  for (let number = 1; number <= maxFiles; number++) {
    const file = number === 1 ? name : numbered(name, number);
    const path = resolve(cwd, file);
    if (existsSync(path)) continue;
    return Object.assign(captureToFile(path, options), { file });
  }
  throw usageError(`There are ${maxFiles} captures named ${name}.`, 'Delete them, or choose another name.');
}

/** `session.mcp.ndjson` is followed by `session-2.mcp.ndjson`. */
const numbered = (name: string, number: number): string =>
  name.replace(/(\.mcp)?(\.[^./\\]*)?$/, (ending) => `-${number}${ending}`);
