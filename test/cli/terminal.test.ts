/** What a person sees at a real terminal: forms, questions of servers, and where each of them is written. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createServer, serveHttp, tool } from 'tenon';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { keys, openProgram, openTerminal, type PseudoTerminal, tenonWords } from './pseudo-terminal.ts';

const server = createServer(
  {
    name: 'booking',
    version: '1',
    tools: {
      book: tool(
        { inputSchema: z.object({ city: z.string(), class: z.enum(['first', 'second']) }) },
        async (args, ctx) => {
          const schema = z.object({ people: z.number().int().min(1) });
          const answer = await ctx.elicit('people', { message: 'How many\u001b[2J go?', schema });
          return answer.action === 'accept' ? `${args.city} ${args.class} for ${answer.content.people}` : answer.action;
        },
      ),
      rate: tool(
        { inputSchema: z.object({ note: z.string().describe(`${'What you think of it, '.repeat(8)}in a few words`) }) },
        ({ note }) => note,
      ),
    },
  },
  { secrets: ['a secret of this test, long enough'], onError: () => undefined },
);

let url = '';
let close: () => Promise<unknown>;
let folder = '';
beforeAll(async () => {
  const service = await serveHttp(server, { port: 0 });
  url = String(service.url);
  close = () => service.close();
  folder = mkdtempSync(join(tmpdir(), 'tenon-terminal-'));
});
afterAll(async () => {
  await close();
  rmSync(folder, { recursive: true });
});

describe('on a terminal', () => {
  it('call --form asks for each argument, and answers the question of the server [S31]', async () => {
    const terminal = openTerminal(`tenon call ${url} book --form`, folder);
    await terminal.shows('city');
    terminal.type(`Oslo${keys.enter}`);
    await terminal.shows('class');
    await terminal.shows('second');
    terminal.type(`${keys.down}${keys.enter}`);
    await terminal.shows('How many\\u001b[2J go?');
    terminal.type(keys.enter);
    await terminal.shows('people');
    terminal.type(`0${keys.enter}`);
    await terminal.shows('expected at least 1');
    terminal.type(`\u007f3${keys.enter}`);
    await terminal.shows('Send this?');
    terminal.type(keys.enter);
    await terminal.shows('Oslo second for 3');
    expect(await terminal.exited).toBe(0);
  });

  it('a long question keeps the line at its left, also where it is wrapped', async () => {
    const terminal = openTerminal(`tenon call ${url} rate`, folder);
    await terminal.shows('in a few words');
    terminal.type(`fine${keys.enter}`);
    expect(await terminal.exited).toBe(0);
    const question = terminal
      .screen()
      .split('\n')
      .filter((line) => /What|think|words/.test(line));
    expect(question.length).toBeGreaterThan(2);
    for (const line of question) expect(line).toMatch(/^│ {2}\S/);
  });

  it('Ctrl+C at a question ends the command with 130', async () => {
    const terminal = openTerminal(`tenon call ${url} book`, folder);
    await terminal.shows('city');
    terminal.type(keys.ctrlC);
    expect(await terminal.exited).toBe(130);
  });
});

describe('on a terminal with a shell', () => {
  const inShell = (line: string): PseudoTerminal =>
    openProgram(['bash', '-c', line.replace('tenon', tenonWords.join(' '))], folder);

  it('a terminal without a size shows a question as one of 80 columns', async () => {
    const terminal = inShell(`stty cols 0 rows 0; tenon call ${url} book`);
    await terminal.shows('city');
    terminal.type(`Oslo${keys.enter}`);
    await terminal.shows('second');
    terminal.type(keys.ctrlC);
    expect(await terminal.exited).toBe(130);
  });

  it('a result that cannot be written is reported', async () => {
    const terminal = inShell(`tenon tools ${url} > /dev/full`);
    await terminal.shows('tenon: The result cannot be written');
    expect(await terminal.exited).toBe(1);
  });
});

describe('repl on a terminal', () => {
  it('reads lines with completion and questions between them, and leaves at Ctrl+D [S31]', async () => {
    writeFileSync(join(folder, '.mcp.json'), JSON.stringify({ mcpServers: { trips: { url } } }));
    const terminal = openTerminal('tenon', folder);
    await terminal.shows('trips@project');
    terminal.type(keys.enter);
    await terminal.shows('booking> ');
    terminal.type(`bo${keys.tab}`);
    await terminal.shows('book ');
    terminal.type(`city=Oslo${keys.enter}`);
    await terminal.shows('class');
    await terminal.shows('first');
    terminal.type(keys.enter);
    await terminal.shows('How many');
    terminal.type(keys.down);
    terminal.type(keys.enter);
    await terminal.shows('decline');
    await terminal.shows('booking> ');
    terminal.type(`nothing${keys.ctrlC}`);
    await terminal.shows('booking> ');
    terminal.type(keys.ctrlD);
    expect(await terminal.exited).toBe(0);
  });
});
