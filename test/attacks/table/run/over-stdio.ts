/** Sends the lines of a row to a server process; the answer with the id `attack`, or without one, is the outcome. */
import { bundledProgram } from '../../../kit/process/bundled-program.ts';
import { handshake, startRaw } from '../../../kit/process/raw-process.ts';
import type { Json } from '../attack.ts';
import { type Outcome, outcomeOfReply } from './outcome.ts';

let program: Promise<string> | undefined;

export async function sendLines(lines: readonly (Json | string)[]): Promise<Outcome> {
  program ??= bundledProgram('plain-server');
  const server = startRaw(await program);
  server.send(handshake());
  await server.answer('hello');
  server.send(...lines);
  server.send({ jsonrpc: '2.0', id: 'after', method: 'ping' });
  await server.answer('after');
  server.child.stdin.end();
  await server.ended;
  const replies = server.lines.map((line) => JSON.parse(line) as Json);
  const reply = replies.find(({ id }) => id !== 'hello' && id !== 'after') ?? {};
  return outcomeOfReply(reply, server.stderr());
}
