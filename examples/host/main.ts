/** A chat in the terminal with a scripted model and two real servers. No tool runs before you allow it. */
import { resolve } from 'node:path';
import { env, execPath } from 'node:process';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { TenonError, toText } from 'tenon';
import { createHost, type Decision, type HostElicitRequest } from 'tenon/host';
import { complete, nextStep } from './model.ts';
import { openTerminal } from './terminal.ts';

const folder = resolve(env.HOST_FILES ?? fileURLToPath(new URL('../demo/files', import.meta.url)));
/** The servers are found from here, whatever the working directory. */
const root = fileURLToPath(new URL('../..', import.meta.url));
const terminal = openTerminal();
const decisions: Decision[] = [];

const allows = async (question: string): Promise<'allow' | 'deny'> =>
  (await terminal.ask(`${question} [y/n] `)) === 'y' ? 'allow' : 'deny';

/** Fills in forms with one field. All other elicitations are declined. */
async function fillIn(request: HostElicitRequest) {
  const [field, ...others] = request.mode === 'form' ? Object.entries(request.requestedSchema.properties) : [];
  if (field === undefined || others.length > 0) return { action: 'decline' as const };
  const [name, { type }] = field;
  const line = await terminal.ask(`${request.server} asks: ${request.message} ${name}: `);
  if (line === undefined || line === '') return { action: 'decline' as const };
  return { action: 'accept' as const, content: { [name]: type === 'number' ? Number(line) : line } };
}

const host = createHost({
  servers: {
    mcpServers: {
      demo: { command: execPath, args: ['--import', 'tsx', 'examples/demo/main.ts', '--stdio'], cwd: root },
      files: {
        command: execPath,
        cwd: root,
        args: ['node_modules/@modelcontextprotocol/server-filesystem/dist/index.js', '${HOST_FILES}'],
      },
    },
  },
  env: { HOST_FILES: folder },
  clientInfo: { name: 'terminal-host', version: '1.0.0' },
  consent: {
    tool: ({ server, tool, arguments: given }) => allows(`Run ${tool} of ${server} with ${JSON.stringify(given)}?`),
    sample: ({ server }) => allows(`Let ${server} use the model?`),
    roots: ({ server }) => (server === 'files' ? 'allow' : 'deny'),
  },
  sample({ request }) {
    const last = request.messages.flatMap(({ content }) => content).at(-1);
    const text = complete(last?.type === 'text' ? last.text : '');
    return { role: 'assistant', model: 'scripted', content: { type: 'text', text } };
  },
  elicit: fillIn,
  roots: [{ uri: pathToFileURL(folder).href }],
  onDecision: (decision) => decisions.push(decision),
});

async function answer(line: string): Promise<string> {
  const { items } = await host.tools.list();
  const step = nextStep(line, items, folder);
  if ('text' in step) return step.text;
  try {
    return toText(await host.tools.call(step.use, step.arguments));
  } catch (error) {
    if (error instanceof TenonError && error.code === 'consent-denied') return 'You denied the call.';
    return `That failed: ${(error as Error).message}`;
  }
}

const commands: Readonly<Record<string, () => string[]>> = {
  '/servers': () => host.health().map(({ server, state, failures }) => `${server}: ${state}, ${failures} failures`),
  '/decisions': () =>
    decisions.map(({ server, type, tool = '', decision, by }) => `${server} ${type} ${tool}: ${decision} by ${by}`),
};

const { items, errors: failures } = await host.tools.list();
terminal.print(`${items.length} tools of ${host.servers.join(' and ')}. /servers, /decisions, /quit`);
for (const { server, error } of failures) terminal.print(`${server} is not available: ${error.message}`);
for (;;) {
  const line = (await terminal.ask('you> '))?.trim();
  if (line === undefined || line === '/quit') break;
  const shown = commands[line]?.() ?? [`model> ${await answer(line)}`];
  shown.forEach(terminal.print);
}
terminal.close();
await host.close();
