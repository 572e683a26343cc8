/** `tenon replay`: serves a capture as a server, or makes its calls again. */

import { callsInCapture } from '../../../capture/replay/calls-in-capture.ts';
import { type ReplayServer, replayServer } from '../../../capture/replay/replay-server.ts';
import { escapeControls } from '../../../lib/text/control-characters.ts';
import { serveReplay } from '../../../node/serve-replay.ts';
import { captureIn, faultsIn } from '../../capture/read-files.ts';
import { repeatAt, shownCall } from '../../capture/repeat.ts';
import type { CommandResult, RunCommand } from '../../io/command.ts';
import type { Given } from '../../io/given.ts';
import { closeOf, interrupted, portOf } from '../../io/until-closed.ts';
import { count } from '../../output/count.ts';
import { usageError } from '../../usage-error.ts';

export const run: RunCommand = async (given) => {
  const [file = ''] = given.words;
  const hasTarget = given.target !== undefined || given.command !== undefined;
  const serving =
    ['serve', 'faults'].find((name) => given.text(name) !== undefined) ?? (given.flag('exact') && 'exact');
  if (hasTarget && serving) throw usageError(`--${serving} has no effect with a target.`, 'Leave one of them out.');
  const capture = await captureIn(file, given.io);
  if (hasTarget) return repeat(given, capture);
  const faults = given.text('faults');
  const server = replayServer(capture, {
    mode: given.flag('exact') ? 'exact' : 'match',
    ...(faults !== undefined && { faults: await faultsIn(faults, given.io) }),
    onUnknown: (method) => given.io.err(`tenon: the capture has no such ${escapeControls(method)}.\n`),
  });
  return serve(given, server, file);
};

async function serve(given: Given, server: ReplayServer, file: string): Promise<CommandResult> {
  const where = given.text('serve') ?? 'stdio';
  if (where !== 'stdio') {
    const service = await serveReplay(server, { port: portOf('serve', where) });
    given.emit({ url: service.url }, `Serving ${file} at ${service.url}`);
    await interrupted(given.io);
    await service.close();
    return { result: { url: service.url }, text: '' };
  }
  if (given.isJson) throw usageError('--json cannot be used on stdio: messages are printed there.', 'Leave it out.');
  const transport = await given.io.openStdio();
  await closeOf(transport, (own) => server.accept(own), given.io);
  return { result: {}, text: '' };
}

async function repeat(given: Given, capture: Parameters<typeof callsInCapture>[0]): Promise<CommandResult> {
  const calls = callsInCapture(capture);
  const repeated = await repeatAt(given, calls, {
    onCall: ({ call, error, ms }) => {
      const outcome = error === undefined ? 'answered' : `error ${error.code}`;
      if (!given.isJson) given.emit(undefined, `${escapeControls(shownCall(call))}: ${outcome} in ${ms} ms`);
    },
  });
  const failed = repeated.filter(({ call, error }) => error !== undefined && call.error === undefined);
  const result = repeated.map(({ call: { method, params }, result: answer, error, ms }) => ({
    method,
    params,
    ...(answer !== undefined && { result: answer }),
    ...(error !== undefined && { error }),
    ms,
  }));
  const text = `${count(repeated.length, 'call')}, ${failed.length} with an error that was not recorded`;
  return { result, text, exit: failed.length === 0 ? 0 : 1 };
}
