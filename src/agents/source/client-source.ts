/** The tools of one client, as a host would list them. */
import type { Client } from '../../client/api/client.ts';
import { leftOutOf } from '../../client/api/listing.ts';
import { sendRound } from '../../host/calls/send-round.ts';
import type { HostTool } from '../../host/lists/lists.ts';
import { nameOf } from '../../host/lists/names.ts';
import { isVisibleTo } from '../../protocol/apps.ts';
import { ownToolNames, runCodeName } from '../context/own-tools.ts';
import { readableError } from '../error-text.ts';
import { type ToolSource, textOfContents } from './tool-source.ts';

const reserved: ReadonlySet<string> = new Set([...ownToolNames, runCodeName]);

/** Names that model APIs take. */
const plain = /^[a-zA-Z0-9_-]{1,64}$/;

export function clientSource(client: Client): ToolSource {
  const server = (): string => client.serverInfo?.name ?? 'server';
  const named = async (name: string): Promise<string> =>
    plain.test(name) && !reserved.has(name) ? name : nameOf({ server: server(), originalName: name });
  return {
    user: undefined,
    async list() {
      try {
        const listed = await client.tools.list().all();
        const shown = listed.filter((tool) => isVisibleTo('model', tool));
        const tools = await Promise.all(
          shown.map(
            async (tool): Promise<HostTool> => ({
              ...tool,
              name: await named(tool.name),
              server: server(),
              originalName: tool.name,
            }),
          ),
        );
        const errors = leftOutOf(listed).map((error) => ({ server: server(), text: readableError(error) }));
        return { tools, errors, mayRecover: false };
      } catch (error) {
        return { tools: [], errors: [{ server: server(), text: readableError(error) }], mayRecover: true };
      }
    },
    call: (tool, args, options) => client.tools.call(tool.originalName, args, options),
    // Its handlers answer requests in a session: which ones it declares is not known here.
    round: (tool, args, { answers: _answers, ...options }) => sendRound(client, tool.originalName, args, options),
    readText: async (_server, uri) => textOfContents(await client.resources.read(uri)),
    instructions: () => (client.instructions === undefined ? [] : [{ server: server(), text: client.instructions }]),
    observe(onChange) {
      const stop = client.connection.on('state', ({ to }) => {
        if (to === 'ready') onChange();
      });
      // A server that reports no changes has none to subscribe to.
      const watching = client.capabilities.tools?.listChanged === true ? client.tools.watchList(onChange) : undefined;
      watching?.catch(() => {});
      return async () => {
        stop();
        const watcher = await watching?.catch(() => undefined);
        await watcher?.close();
      };
    },
  };
}
