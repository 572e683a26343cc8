/** The section of MCP Apps: a tool with its app, which shows the result of a run in a frame of another origin. */
import type { ClientInfo } from '../../../../src/inspector/api.ts';
import { Empty } from '../controls/notice.tsx';
import { ToolPane } from '../features/tool.tsx';
import { appUriOf } from '../state/app-uri.ts';
import { listOf } from '../state/lists.ts';
import { place } from '../state/place.ts';
import { AppFrame } from './app-frame.tsx';

export function Apps({ client }: { readonly client: ClientInfo }) {
  if (place.value.name === undefined) return <NoneChosen client={client} />;
  return (
    <ToolPane
      client={client}
      show={(run, tool) => {
        const uri = appUriOf(tool);
        return uri === undefined ? null : <AppFrame key={run.id} client={client} uri={uri} run={run} />;
      }}
    />
  );
}

function NoneChosen({ client }: { readonly client: ClientInfo }) {
  const hasApps = listOf(client.id, 'tools').items.some((tool) => appUriOf(tool) !== undefined);
  if (hasApps) return <Empty>Choose a tool with an app in the list.</Empty>;
  return (
    <Empty>
      An app is a page that shows the results of a tool. The tool names it in <code>_meta.ui.resourceUri</code>.
    </Empty>
  );
}
