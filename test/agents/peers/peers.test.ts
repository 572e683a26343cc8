/** The adapters with the real packages and fake models: the same calls in each, and what its model gets for them. */
import { spawn } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { root } from '../../architecture/source-tree.ts';
import { examplesIn, readPage } from '../../docs/markdown.ts';
import { requires } from '../../kit/requires.ts';
import { withTimeout } from '../../kit/with-timeout.ts';
import { png } from '../sample-host.ts';
import { startFakeProviders } from './fake-providers.ts';

const source = join(root, 'test/agents/peers');
const folder = join(root, '.tenon/agents');

/** Why the packages cannot be used, or `undefined`. */
function whyNot(): string | undefined {
  const stamp = join(folder, 'node_modules/.tenon-lock');
  const isInstalled =
    existsSync(stamp) && readFileSync(stamp, 'utf8') === readFileSync(join(source, 'package-lock.json'), 'utf8');
  return isInstalled ? undefined : 'the packages of agents are not installed: `npm run test:long` does that';
}

const missing = whyNot();

/** The blocks of the guide and of the README that need a framework, and the packages whose model they use. */
const examples = ['docs/guide/agents.md', 'docs/guide/interrupts.md', 'README.md'].flatMap((path) =>
  examplesIn(readFileSync(join(root, path), 'utf8'))
    .filter(({ needsPackages }) => needsPackages)
    .map(({ code, line }) => ({ place: `${path}:${line}`, code, framework: frameworkOf(code) })),
);
/** The agents for `tenon eval`, each for one provider. */
const agents = readPage(readFileSync(join(root, 'docs/guide/tool-quality.md'), 'utf8')).blocks.flatMap(
  ({ language, text, line }) => (language === 'js' ? [{ text, line, framework: frameworkOf(text) }] : []),
);
/** The `host.ts` of the guide. */
const hostFile = examplesIn(readFileSync(join(root, 'docs/guide/agents.md'), 'utf8')).find(({ code }) =>
  code.includes('export const host'),
)?.code;

function frameworkOf(code: string): string {
  const [, name = ''] = /from '(@anthropic-ai|openai|@openai|ai|@langchain|@mastra)/.exec(code) ?? [];
  return { '@openai': 'openai-agents' }[name] ?? name.replace(/^@|-ai$/g, '');
}

beforeAll(() => {
  if (missing !== undefined) return;
  for (const name of ['scripts', 'guide']) rmSync(join(folder, name), { recursive: true, force: true });
  cpSync(source, folder, { recursive: true });
  cpSync(join(root, 'test/agents/sample-host.ts'), join(folder, 'sample-host.ts'));
  const installed = join(folder, 'node_modules/tenon');
  rmSync(installed, { recursive: true, force: true });
  cpSync(join(root, 'package.json'), join(installed, 'package.json'));
  cpSync(join(root, 'dist'), join(installed, 'dist'), { recursive: true });
  for (const [n, { code, framework }] of examples.entries()) {
    const place = join(folder, 'guide', String(n));
    mkdirSync(place, { recursive: true });
    writeFileSync(join(place, 'main.ts'), `${code}\n`);
    writeFileSync(join(place, 'host.ts'), `${hostFile}\n`);
    const model = join(source, 'models', `${framework}.ts`);
    if (existsSync(model)) cpSync(model, join(place, 'model.ts'));
    cpSync(join(source, 'models/ai.ts'), join(place, 'ai-model.ts'));
  }
});

/** Runs a program with the packages. Resolves with what it printed. */
async function outputOf(args: readonly string[], env: Readonly<Record<string, string>> = {}): Promise<string> {
  const child = spawn(process.execPath, args, {
    cwd: folder,
    env: { ...process.env, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let printed = '';
  let complaints = '';
  child.stdout.on('data', (chunk: Buffer) => (printed += chunk.toString()));
  child.stderr.on('data', (chunk: Buffer) => (complaints += chunk.toString()));
  const ended = new Promise<number | null>((resolve) => child.once('close', resolve));
  const code = await withTimeout(ended, `the exit of ${args.join(' ')}`, 300_000);
  if (code !== 0) throw new Error(`${args.join(' ')} exited with ${code}: ${printed}${complaints}`);
  return printed;
}

it('the types of every package accept the tools', async (context) => {
  requires(context, missing);
  expect(await outputOf([join(root, 'node_modules/ts7/bin/tsc'), '-p', 'tsconfig.json'])).toBe('');
});

/** What the model of every framework gets. */
const common = {
  text: 'The text of notes.txt',
  'tool error': 'The mailbox is full',
  denied: 'deleting is off. Do not repeat the call',
  elicitation: 'Booked at 8 pm',
  large: 'read_more({ handle:',
  found: 'deleted invoice 7',
  aborted: 'the handler was aborted',
};
const error = {
  anthropic: '"is_error":true',
  'ai-sdk': '"type":"error-text"',
  langchain: '"status":"error"',
};

describe.each([
  [
    'anthropic',
    [],
    { search: '"tool_name":"shop__delete_invoice"', 'tool error': error.anthropic, denied: error.anthropic },
  ],
  ['openai', [], {}],
  ['openai', ['native'], { search: '"type":"tool_search_output"' }],
  ['openai', ['chat'], { image: '[image, image/png, 70 bytes, cannot be shown' }],
  ['openai-agents', [], {}],
  ['ai-sdk', [], { 'tool error': error['ai-sdk'], denied: error['ai-sdk'] }],
  ['ai-sdk', ['plain'], { 'tool error': error['ai-sdk'] }],
  ['langchain', [], { 'tool error': error.langchain, denied: error.langchain }],
  ['mastra', [], { denied: error['ai-sdk'] }],
] as const)('%s %s', (script, args, own) => {
  it('gives its model results, errors and found tools, and cancels', async (context) => {
    requires(context, missing);
    const printed = await outputOf(['--import', 'tsx', `scripts/${script}.ts`, ...args]);
    const seen = JSON.parse(printed.trim().split('\n').at(-1) ?? '') as Record<string, string>;
    const plain = Object.fromEntries(
      Object.entries(seen).map(([kind, text]) => [kind, String(text).replaceAll('\\"', '"')]),
    );
    const expected = { image: png, search: 'shop__delete_invoice', ...common };
    expect(plain).toMatchObject(Object.fromEntries(Object.entries({ ...expected, ...own }).map(contains)));
    expect(plain['tool error']).toContain(common['tool error']);
  });
});

function contains([kind, text]: readonly [string, string]): [string, unknown] {
  return [kind, expect.stringContaining(text)];
}

it.for(['v1', 'v2'])('an interrupt of a call interrupts a graph of LangGraph (%s)', async (version, context) => {
  requires(context, missing);
  const printed = await outputOf(['--import', 'tsx', 'scripts/langgraph.ts', version]);
  expect(JSON.parse(printed.trim())).toEqual({
    asked: [
      'consent for mail__book',
      'consent for mail__send',
      'consent for work__long',
      'elicitation for mail__book',
      'task for work__long',
    ],
    // The answer before was for another call.
    problems: [expect.stringContaining('The answer is not for the call call_1')],
    ran: ['book', 'long', 'send'],
    texts: ['Booked at 8 pm', 'Sent {"to":"ada"}', 'done at last'],
  });
});

it.for(examples.map(({ place, framework }, n) => [framework, place, n] as const))(
  'the example for %s at %s runs and prints the answer of the model',
  async ([, , n], context) => {
    requires(context, missing);
    const providers = await startFakeProviders();
    onTestFinished(() => providers.close());
    const printed = await outputOf(['--import', 'tsx', `guide/${n}/main.ts`], providers.env);
    expect(printed.trim()).toBe('Sunny in Oslo');
  },
);

it.for(agents.map(({ framework, line, text }) => [framework, line, text] as const))(
  'the agent of %s at docs/guide/tool-quality.md:%s is run by tenon eval',
  async ([framework, , text], context) => {
    requires(context, missing);
    const providers = await startFakeProviders();
    onTestFinished(() => providers.close());
    const place = join(folder, 'guide', framework);
    mkdirSync(place, { recursive: true });
    cpSync(join(source, 'scripts/weather-server.js'), join(place, 'server.js'));
    writeFileSync(join(place, 'agent.js'), text);
    const prompts = [{ prompt: 'Will it rain in Oslo?', expected: ['forecast'], forbidden: ['delete_all'] }];
    writeFileSync(join(place, 'prompts.json'), JSON.stringify({ prompts }));
    const paths = ['prompts.json', 'server.js'].map((name) => join(place, name));
    const args = ['node_modules/tenon/dist/cli.js', 'eval', ...paths, '--agent', join(place, 'agent.js'), '--json'];
    const printed = await outputOf(args, { ...providers.env, MODEL: 'fake' });
    expect(JSON.parse(printed)).toMatchObject({
      result: { missed: 0, outcomes: [{ calls: [{ name: 'forecast' }], answer: 'Sunny in Oslo' }] },
    });
  },
);
