/** In place of an item that is not in its list: it is loading, the server has none, or the client is not connected. */
import type { ClientInfo, FeatureKind } from '../../../../src/inspector/api.ts';
import { call } from '../api/call.ts';
import { Button } from '../controls/button.tsx';
import { Empty } from '../controls/notice.tsx';
import type { LoadedList } from '../state/lists.ts';
import { putClient } from '../state/store.ts';

interface MissingProps {
  readonly client: ClientInfo;
  /** What the item is: a tool or a prompt. */
  readonly noun: string;
  readonly name: string | undefined;
  readonly list: LoadedList<FeatureKind>;
}

export function Missing({ client: { id, state }, noun, name, list }: MissingProps) {
  if (state === 'closed') {
    const connect = (): void =>
      void call('reconnect', { client: id }).then(
        ({ client }) => putClient(client),
        () => undefined,
      );
    return (
      <Empty>
        <p>Not connected.</p>
        <Button icon="reload" onClick={connect}>
          Connect again
        </Button>
      </Empty>
    );
  }
  if (state !== 'ready') return <Empty>Connecting…</Empty>;
  const isEmpty = !list.isLoading && list.error === undefined && list.items.length === 0;
  if (name === undefined)
    return <Empty>{isEmpty ? `This server has no ${noun}s.` : `Choose a ${noun} in the list.`}</Empty>;
  return <Empty>{list.isLoading ? 'Loading…' : `This server has no ${noun} ${name}.`}</Empty>;
}
