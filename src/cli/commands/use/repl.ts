/** `tenon repl`: one connection, and commands typed one after the other. */
import type { Client } from '../../../client/api/client.ts';
import { escapeControls } from '../../../lib/text/control-characters.ts';
import { taskMemory } from '../../answers/started-tasks.ts';
import { wordsIn } from '../../input/line-words.ts';
import type { CommandResult, RunCommand } from '../../io/command.ts';
import type { ExitCode } from '../../io/exit-codes.ts';
import type { Given } from '../../io/given.ts';
import { withClient } from '../../target/open-client.ts';
import { unknownName } from '../../usage-error.ts';
import { completeLine } from './line-completion.ts';

export const run: RunCommand = (given) =>
  withClient(given, (client) => runLines(given, client), { tasks: { memory: taskMemory(given.io) } });

async function runLines(given: Given, client: Client): Promise<CommandResult> {
  const { io } = given;
  const server = escapeControls(client.serverInfo?.name ?? 'server');
  if (io.canAsk) io.err(`${server}, protocol version ${client.protocolVersion}. Type help, or exit.\n`);
  let lines = 0;
  for (;;) {
    const line = await io.readLine({
      prompt: `${server}> `,
      complete: (text) => completeLine(text, client, [...given.inner.names, 'help', 'exit']),
    });
    if (line === undefined || /^\s*(?:exit|quit)\s*$/.test(line) || io.signal.aborted) break;
    if (/^\s*(?:#.*)?$/.test(line)) continue;
    lines += 1;
    const exit = await runLine(line, given, client);
    // A script ends where a line fails; a person goes on.
    if (exit !== 0 && !io.canAsk) return { result: { lines }, text: '', exit };
  }
  return { result: { lines }, text: '' };
}

/** Ctrl+C ends the line, not the connection. */
async function runLine(line: string, { io, inner, isJson }: Given, client: Client): Promise<ExitCode> {
  const stop = new AbortController();
  const release = io.catchInterrupts(() => stop.abort(new Error('Interrupted.')));
  try {
    const args = await asCommand(line, client, inner.names);
    const signal = AbortSignal.any([io.signal, stop.signal]);
    return await inner.run(isJson ? [...args, '--json'] : args, client, signal);
  } catch (error) {
    io.err(`tenon: ${(error as Error).message}\n`);
    return 2;
  } finally {
    release();
  }
}

/** The name of a tool alone calls it. */
async function asCommand(line: string, client: Client, commands: readonly string[]): Promise<readonly string[]> {
  const words = wordsIn(line);
  const [first = ''] = words;
  if (commands.includes(first) || first === 'help') return words;
  const tools = client.capabilities.tools === undefined ? [] : await client.tools.list().all();
  const names = tools.map(({ name }) => name);
  if (names.includes(first)) return ['call', ...words];
  throw unknownName('command or tool', first, [...commands, ...names], 'Type help.');
}
