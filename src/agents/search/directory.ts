/** The directory of tools that a model always sees: names by server, without any text of a server. */
import { estimateTokens } from './tokens.ts';
import type { ToolText } from './tool-text.ts';

/** What stands between the names of a server and of a tool in the name by which a tool is called. */
const between = '__';

interface Group {
  readonly server: string;
  readonly names: string[];
}

/**
 * One line for each server with the names of its tools, at most `maxTokens` tokens. If that is too long, the servers with the
 * longest lines are shortened to the number of their tools first. A name is without that of its server.
 */
export function directoryText(tools: readonly ToolText[], maxTokens: number): string {
  const lines = groupsOf(tools).map((group) => ({ whole: wholeLine(group), short: shortLine(group), isWhole: true }));
  const text = (): string => lines.map(({ whole, short, isWhole }) => (isWhole ? whole : short)).join('\n');
  const longestFirst = [...lines].sort((one, other) => other.whole.length - one.whole.length);
  for (const line of longestFirst) {
    if (estimateTokens(text()) <= maxTokens) return text();
    line.isWhole = false;
  }
  return firstLines(text(), maxTokens);
}

function groupsOf(tools: readonly ToolText[]): Group[] {
  const groups = new Map<string, Group>();
  for (const { name, server = '' } of tools) {
    const group = groups.get(server) ?? { server, names: [] };
    group.names.push(name.startsWith(`${server}${between}`) ? name.slice(server.length + between.length) : name);
    groups.set(server, group);
  }
  return [...groups.values()];
}

const wholeLine = ({ server, names }: Group): string =>
  `${server === '' ? '' : `${oneLine(server)}: `}${names.map(oneLine).join(', ')}`;

const shortLine = ({ server, names }: Group): string =>
  `${server === '' ? '' : `${oneLine(server)}: `}${names.length} tools`;

/** Names could contain anything: a line must not begin another one. */
const oneLine = (name: string): string => name.replace(/[\p{Cc}\u2028\u2029]+/gu, ' ');

/** As many lines as fit, and how many servers are left out. */
function firstLines(text: string, maxTokens: number): string {
  if (estimateTokens(text) <= maxTokens) return text;
  const lines = text.split('\n');
  const cutAt = (count: number): string =>
    [...lines.slice(0, count), `and ${lines.length - count} more servers`].join('\n');
  let count = lines.length - 1;
  while (count > 0 && estimateTokens(cutAt(count)) > maxTokens) count--;
  return cutAt(count);
}
