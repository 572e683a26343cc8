/** `tenon call`: calls a tool. */
import type { Client } from '../../client/api/client.ts';
import type { Fields } from '../../protocol/neutral.ts';
import { callArguments } from '../input/call-arguments.ts';
import type { RunCommand } from '../manifest/command.ts';
import type { Given } from '../manifest/given.ts';
import { shownContent, shownStructure } from '../output/content.ts';
import { showProgress } from '../output/progress.ts';
import { withClient } from '../target/open-client.ts';
import { unknownName } from '../usage-error.ts';

export const run: RunCommand = (given) =>
  withClient(given, async (client) => {
    const [name = '', ...words] = given.words;
    const tool = await find(client, name);
    const json = given.text('args') === '-' ? await given.io.readInput() : given.text('args');
    const args = callArguments({ words, json }, tool.inputSchema);
    const progress = showProgress(given.io, name);
    try {
      const result = await client.tools.call(name, args, {
        signal: given.io.signal,
        onProgress: (update) => progress.report(update),
      });
      progress.end();
      return { result, text: await shown(result as Fields, given), exit: result.isError === true ? 1 : 0 };
    } finally {
      progress.end();
    }
  });

async function find(client: Client, name: string): Promise<{ readonly inputSchema: unknown }> {
  const tools = await client.tools.list().all();
  const tool = tools.find((one) => one.name === name);
  if (tool !== undefined) return tool;
  throw unknownName(
    'tool',
    name,
    tools.map((one) => one.name),
    `The server has ${tools.map((one) => one.name).join(', ') || 'no tools'}.`,
  );
}

/** Servers repeat structured content as text, for models: then the table says it better. */
async function shown({ content, structuredContent }: Fields, { io, text }: Given): Promise<string> {
  const parts = Array.isArray(content) ? (content as Fields[]) : [];
  const isRepeated = structuredContent !== undefined && parts.every(({ type }) => type === 'text');
  return isRepeated ? shownStructure(structuredContent, io) : shownContent(parts, io, text('save'));
}
