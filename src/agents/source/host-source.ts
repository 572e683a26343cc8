/** The tools of a host. Its permission, consent, lock and audit log apply to every call. */
import type { Host } from '../../host/api.ts';
import { userOf } from '../../host/host.ts';
import { addressOf } from '../../host/lists/names.ts';
import type { HostChange } from '../../host/servers/changes.ts';
import { TenonError } from '../../lib/errors/tenon-error.ts';
import { readableError } from '../error-text.ts';
import { type ToolSource, textOfContents } from './tool-source.ts';

export const hostSource = (host: Host): ToolSource => ({
  user: userOf(host),
  async list() {
    const { items, errors } = await host.tools.list();
    return {
      tools: items,
      errors: errors.map(({ server, error }) => ({ server, text: readableError(error) })),
      mayRecover: errors.some(({ error }) => !(error instanceof TenonError && error.code === 'invalid-result')),
    };
  },
  call: (tool, args, options) => host.tools.call(tool.name, args, options),
  round: (tool, args, options) => host.tools.round(tool.name, args, options),
  readText: async (server, uri) => textOfContents(await host.resources.read(addressOf({ server, originalName: uri }))),
  instructions: () => host.instructions(),
  observe(onChange) {
    const changes = host.subscribe({ toolsListChanged: true });
    const read = async (): Promise<void> => {
      for await (const change of changes) if (mayChangeTools(change)) onChange();
    };
    // It ends with the host.
    read().catch(() => {});
    return () => changes.close();
  },
});

/** A server may have other tools after it was connected again. */
const mayChangeTools = ({ change }: HostChange): boolean =>
  change.type === 'tools' || change.type === 'server' || (change.type === 'connection' && change.state === 'ready');
