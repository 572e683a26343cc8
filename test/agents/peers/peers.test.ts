/** The adapters with the real packages and fake models: the same calls in each, and what its model gets for them. */
import { spawn } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { root } from '../../architecture/source-tree.ts';
import { examplesIn } from '../../docs/markdown.ts';
import { requires } from '../../kit/requires.ts';
import { withTimeout } from '../../kit/with-timeout.ts';
import { png } from '../sample-host.ts';

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

/** Examples of the guide that import a framework. */
const guide = examplesIn(readFileSync(join(root, 'docs/guide/agents.md'), 'utf8')).filter(({ code }) =>
  /from '(?:@anthropic-ai|openai|@openai|ai|@langchain|@mastra)/.test(code),
);

beforeAll(() => {
  if (missing !== undefined) return;
  for (const name of ['scripts', 'guide']) rmSync(join(folder, name), { recursive: true, force: true });
  cpSync(source, folder, { recursive: true });
  cpSync(join(root, 'test/agents/sample-host.ts'), join(folder, 'sample-host.ts'));
  const installed = join(folder, 'node_modules/tenon');
  rmSync(installed, { recursive: true, force: true });
  cpSync(join(root, 'package.json'), join(installed, 'package.json'));
  cpSync(join(root, 'dist'), join(installed, 'dist'), { recursive: true });
  mkdirSync(join(folder, 'guide'));
  for (const { line, code } of guide) writeFileSync(join(folder, `guide/line-${line}.ts`), `${code}\n`);
});

/** Runs a program with the packages. Resolves with what it printed. */
async function outputOf(args: readonly string[]): Promise<string> {
  const child = spawn(process.execPath, args, { cwd: folder, stdio: ['ignore', 'pipe', 'pipe'] });
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
    expect(plain).toMatchObject(
      Object.fromEntries(Object.entries({ image: png, search: 'shop__delete_invoice', ...common }).map(contains)),
    );
    expect(plain).toMatchObject(Object.fromEntries(Object.entries(own).map(contains)));
  });
});

function contains([kind, text]: readonly [string, string]): [string, unknown] {
  return [kind, expect.stringContaining(text)];
}

describe('an example of the guide', () => {
  it.each(guide.map((example) => [example.line, example] as const))(
    'at line %s prints what it says',
    async (...given) => {
      const [line, { prints }] = given;
      if (missing !== undefined) return;
      const printed = await outputOf(['--import', 'tsx', `guide/line-${line}.ts`]);
      expect(printed.trim()).toBe(prints?.trim() ?? '');
    },
  );
});
