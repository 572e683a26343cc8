/** Checks an HTTP target, so that a misspelt option is not ignored. */
import { TenonError } from '../../lib/errors/tenon-error.ts';
import { optionError, problemsIn, type Rules } from '../../lib/options/option-rules.ts';
import { isUrl } from '../../lib/text/parse-url.ts';
import { httpTarget } from './target.table.ts';
import type { HttpTarget } from './target.ts';

/** `more` has the rules for options of the HTTP client in use. */
export function checkHttpTarget(target: string | URL | HttpTarget, more: Rules = {}): void {
  if (typeof target === 'string') return checkAddress(target);
  if (target instanceof URL) return;
  const [first] = problemsIn('target.', { ...target }, { ...httpTarget, ...more });
  if (first !== undefined) throw optionError('connect()', first);
}

/** Rejects a text that looks like a command; other invalid URLs are rejected when they are parsed. */
function checkAddress(text: string): void {
  if (isUrl(text) || text.includes('://')) return;
  const shown = plainStart(text);
  const command = asCommand(shown) ?? asScript(shown);
  if (command === undefined) return;
  throw new TenonError('invalid-argument', `connect() cannot connect to ${JSON.stringify(shown)}: it is not a URL.`, {
    hint: `To start a server, write connect(${command}); write a URL in full: 'https://example.com/mcp'.`,
  });
}

const hidden = '…';
/** Options, assignments and addresses: from the first of them on there may be secrets. */
const maySecret = /^-.{2}|[=?{]|:(?!\\)|.@/;

/** A command up to the first word that may be a secret or precede one; at least two words, if it has them. */
function plainStart(text: string): string {
  const words = text.trim().split(/\s+/);
  const end = words.findIndex((word) => maySecret.test(word));
  if (end === -1 || words.length === 1) return words.join(' ');
  return [...(end === 0 ? [hidden] : words.slice(0, end)), hidden].join(' ');
}

/** The correct form of a command with its arguments in one text; `undefined` for one word. Secrets are not hidden. */
export function asCommand(text: string): string | undefined {
  const [program, ...args] = text.trim().split(/\s+/).map(quoted);
  return args.length === 0 ? undefined : `{ command: ${program}, args: [${args.join(', ')}] }`;
}

const interpreters: Readonly<Record<string, string>> = {
  js: 'node',
  mjs: 'node',
  cjs: 'node',
  ts: 'node',
  py: 'python3',
};

/** The command for the path of a program: `{ command: 'node', args: ['./server.js'] }`. */
function asScript(text: string): string | undefined {
  // `example.com/a.js` may be a URL without its scheme.
  const isPath = /^(?:\.{0,2}\/|~\/|[a-z]:\\)/i.test(text);
  const program = interpreters[/\.(\w+)$/.exec(text)?.[1] ?? ''];
  if (program !== undefined && (isPath || !/[/:]/.test(text)))
    return `{ command: '${program}', args: [${quoted(text)}] }`;
  return isPath ? `{ command: ${quoted(text)} }` : undefined;
}

const quoted = (text: string): string => (text === hidden ? text : `'${text.replace(/['\\]/g, '\\$&')}'`);
