/** `tenon get`: gets the messages of a prompt. */
import { callArguments } from '../input/call-arguments.ts';
import type { RunCommand } from '../manifest/command.ts';
import { shownContent } from '../output/content.ts';
import { styleFor } from '../output/style.ts';
import { withClient } from '../target/open-client.ts';

export const run: RunCommand = (given) =>
  withClient(given, async (client) => {
    const [name = '', ...words] = given.words;
    // The arguments of a prompt are texts.
    const args = callArguments({ words }, {}) as Record<string, string>;
    const result = await client.prompts.get(name, args as never, { signal: given.io.signal });
    const style = styleFor(given.io);
    const texts: string[] = [];
    for (const { role, content } of result.messages)
      texts.push(`${style.dim(role)} ${await shownContent([content], given.io, undefined)}`);
    return { result, text: texts.join('\n') };
  });
