/** A scripted model: it gets the list of tools and chooses the one that matches the user's line. */
import type { HostTool } from 'tenon/host';

/** What the model does next: answer with text, or call a tool. */
export type Step =
  | { readonly text: string }
  | { readonly use: string; readonly arguments: Readonly<Record<string, unknown>> };

interface Rule {
  readonly line: RegExp;
  readonly server: string;
  readonly tool: string;
  readonly arguments: (found: readonly string[], folder: string) => Record<string, unknown>;
}

const rules: readonly Rule[] = [
  {
    line: /^add (\S+) and (\S+)$/,
    server: 'demo',
    tool: 'add',
    arguments: ([, a, b]) => ({ a: Number(a), b: Number(b) }),
  },
  { line: /^weather in (.+)$/, server: 'demo', tool: 'weather', arguments: ([, city]) => ({ city }) },
  { line: /^book (.+)$/, server: 'demo', tool: 'book', arguments: ([, city]) => ({ city }) },
  { line: /^summarize (.+)$/, server: 'demo', tool: 'summarize', arguments: ([, text]) => ({ text }) },
  { line: /^files$/, server: 'files', tool: 'list_directory', arguments: (_, folder) => ({ path: folder }) },
  {
    line: /^read (\S+)$/,
    server: 'files',
    tool: 'read_text_file',
    arguments: ([, name], folder) => ({ path: `${folder}/${name}` }),
  },
];

export function nextStep(line: string, tools: readonly HostTool[], folder: string): Step {
  for (const rule of rules) {
    const found = rule.line.exec(line);
    if (found === null) continue;
    const tool = tools.find(({ server, originalName: own }) => server === rule.server && own === rule.tool);
    if (tool === undefined) return { text: `I would use ${rule.tool}, but ${rule.server} does not offer it.` };
    return { use: tool.name, arguments: rule.arguments(found, folder) };
  }
  return { text: 'I can: add 2 and 3, weather in Oslo, book Oslo, summarize some text, files, read readme.txt.' };
}

/** The model's answer to a sampling request. */
export const complete = (text: string): string => `${text.split(/\s+/).slice(-3).join(' ')}, in short.`;
