/** `tenon read`: reads a resource. */
import type { RunCommand } from '../manifest/command.ts';
import { shownResource } from '../output/content.ts';
import { withClient } from '../target/open-client.ts';

export const run: RunCommand = (given) =>
  withClient(given, async (client) => {
    const [uri = ''] = given.words;
    const result = await client.resources.read(uri, { signal: given.io.signal });
    const texts: string[] = [];
    for (const [index, contents] of result.contents.entries())
      texts.push(await shownResource(contents, index + 1, given.io, given.text('save')));
    return { result, text: texts.join('\n') };
  });
