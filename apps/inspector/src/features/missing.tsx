/** In place of an item that is not in its list: it is loading, the server has none, or the client is not connected. */
import type { ClientInfo, FeatureKind } from '../../../../src/inspector/api.ts';
import { connectAgain } from '../connect/client-actions.ts';
import { Button } from '../controls/button.tsx';
import { Empty } from '../controls/notice.tsx';
import type { LoadedList } from '../state/lists.ts';

interface MissingProps {
  readonly client: ClientInfo;
  /** What the item is: a tool or a prompt. */
  readonly noun: string;
  readonly name: string | undefined;
  readonly list: LoadedList<FeatureKind>;
}

export function Missing({ client, noun, name, list }: MissingProps) {
  const { state } = client;
  if (state === 'closed')
    return (
      <Empty>
        <p>Not connected.</p>
        <Button icon="reload" onClick={() => connectAgain(client)}>
          Connect again
        </Button>
      </Empty>
    );
  if (state !== 'ready') return <Empty>Connecting…</Empty>;
  const isEmpty = !list.isLoading && list.error === undefined && list.items.length === 0;
  if (name === undefined)
    return <Empty>{isEmpty ? `This server has no ${noun}s.` : `Choose a ${noun} in the list.`}</Empty>;
  return <Empty>{list.isLoading ? 'Loading…' : `This server has no ${noun} ${name}.`}</Empty>;
}
