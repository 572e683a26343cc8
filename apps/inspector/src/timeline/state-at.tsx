/** The state of all connections right after an event: version, capabilities, open requests, subscriptions and tasks. */
import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import type { ApiError, ConnectionHistory, History } from '../../../../src/inspector/api.ts';
import { call, errorOf } from '../api/call.ts';
import { ErrorNotice } from '../controls/notice.tsx';
import { JsonTree } from '../result/json-tree.tsx';

interface StateAtProps {
  readonly recording: string;
  readonly seq: number;
}

/** While the moment is dragged, only where it rests for a little is asked for. */
const pauseMs = 40;

export function StateAt({ recording, seq }: StateAtProps) {
  const history = useSignal<History | undefined>(undefined);
  const error = useSignal<ApiError | undefined>(undefined);
  useEffect(() => {
    let isWanted = true;
    const ask = async (): Promise<void> => {
      const found = await call('state', { recording, seq });
      if (isWanted) history.value = found;
    };
    const timer = setTimeout(() => void ask().catch((thrown) => (error.value = errorOf(thrown))), pauseMs);
    return () => {
      isWanted = false;
      clearTimeout(timer);
    };
  }, [recording, seq]);
  if (error.value !== undefined) return <ErrorNotice error={error.value} />;
  const connections = Object.entries(history.value?.connections ?? {});
  return (
    <div class="state-at">
      {connections.map(([number, connection]) => (
        <Connection key={number} number={number} connection={connection} />
      ))}
      {history.value !== undefined && connections.length === 0 && <p class="faint">No connection was open yet.</p>}
    </div>
  );
}

function Connection({ number, connection }: { readonly number: string; readonly connection: ConnectionHistory }) {
  const { state, protocolVersion, transport, peer, server, openRequests, subscriptions, tasks, counts } = connection;
  const { serverCapabilities, clientCapabilities, logLevel } = connection;
  const facts: readonly (readonly [string, string | undefined])[] = [
    ['Peer', [peer, `(${transport})`].filter(Boolean).join(' ')],
    ['Server', server === undefined ? undefined : `${server.name} ${server.version}`],
    ['Messages', `${counts.messages}, ${counts.requests} requests, ${counts.errors} errors`],
    ['Log level', logLevel],
    ['Server offers', namesOf(serverCapabilities)],
    ['Client offers', namesOf(clientCapabilities)],
    ['Subscriptions', subscriptions.length === 0 ? undefined : subscriptions.join(', ')],
  ];
  return (
    <article class="state-connection">
      <h3>
        <span class="mono faint">#{number}</span> {state}
        <span class="mono"> {protocolVersion ?? ''}</span>
      </h3>
      <dl class="facts">
        {facts.map(([name, value]) =>
          value === undefined ? null : (
            <>
              <dt>{name}</dt>
              <dd class="mono">{value}</dd>
            </>
          ),
        )}
      </dl>
      {openRequests.map(({ seq, method, name, from, progress }) => (
        <p key={seq} class="mono open-request">
          <span class="dot busy" /> {from === 'client' ? '→' : '←'} {method} {name}
          {progress !== undefined && ` ${progress.progress}/${progress.total ?? '?'}`}
        </p>
      ))}
      {Object.entries(tasks).map(([id, task]) => (
        <p key={id} class="mono">
          task {id.slice(0, 8)} {task.status} {task.statusMessage}
        </p>
      ))}
      {serverCapabilities !== undefined && <JsonTree value={{ serverCapabilities, clientCapabilities }} openTo={0} />}
    </article>
  );
}

/** The names of capabilities; those of a moment before they were exchanged are not known. */
const namesOf = (capabilities: object | undefined): string =>
  capabilities === undefined ? 'not known yet' : Object.keys(capabilities).join(', ') || 'nothing';
