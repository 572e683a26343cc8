/** The server of a client: who it is, what it can do, how it is connected, and the steps of a sign-in. */
import { useSignal } from '@preact/signals';
import type { ClientInfo } from '../../../../src/inspector/api.ts';
import { call, errorOf } from '../api/call.ts';
import { Button } from '../controls/button.tsx';
import { shownMs, shownTime } from '../controls/format.ts';
import { ErrorNotice } from '../controls/notice.tsx';
import { JsonTree } from '../result/json-tree.tsx';
import { MarkdownView } from '../result/markdown-view.tsx';
import { isGone } from '../state/restart.ts';
import { connectAgain, disconnect } from './client-actions.ts';
import { canEdit, edit } from './edited.ts';
import { Roots } from './roots.tsx';

export function ServerPane({ client }: { readonly client: ClientInfo }) {
  const { server, label, shown, error, instructions, capabilities, auth } = client;
  return (
    <article class="item-pane server">
      <header class="item-head">
        <h2>{server?.title ?? server?.name ?? label}</h2>
        <div class="item-name">
          <code>{shown}</code>
        </div>
      </header>
      <ConnectionBar client={client} />
      {error !== undefined && client.state !== 'ready' && (
        <ErrorNotice error={error}>
          {client.target.kind !== 'command' && needsToken.has(error.code) && canEdit(client) && (
            <Button onClick={() => edit(client, 'pairs')}>Add a header</Button>
          )}
        </ErrorNotice>
      )}
      <ConnectionDetails client={client} />
      {auth.length > 0 && <AuthSteps steps={auth} />}
      {instructions !== undefined && (
        <section aria-label="Instructions">
          <h3>Instructions for the model</h3>
          <MarkdownView text={instructions} />
        </section>
      )}
      <section aria-label="Capabilities">
        <h3>Capabilities</h3>
        {capabilities === undefined ? (
          <p class="faint">Not known yet.</p>
        ) : (
          <JsonTree value={capabilities} openTo={3} />
        )}
      </section>
      <Roots key={client.id} client={client} />
    </article>
  );
}

/** Errors that a header with a token may solve. */
const needsToken: ReadonlySet<string> = new Set([
  'authorization-failed',
  'forbidden',
  'sign-in-required',
  'unauthorized',
]);

function ConnectionBar({ client }: { readonly client: ClientInfo }) {
  const pinged = useSignal('');
  const ping = (): void => {
    pinged.value = '…';
    void call('ping', { client: client.id }).then(
      ({ ms }) => (pinged.value = `answered in ${shownMs(ms)}`),
      (error) => (pinged.value = errorOf(error).message),
    );
  };
  const isOpen = client.state !== 'closed';
  return (
    <div class="run-bar">
      {isOpen ? (
        <Button icon="stop" onClick={() => disconnect(client)}>
          Disconnect
        </Button>
      ) : (
        <Button icon="reload" variant="primary" onClick={() => connectAgain(client)}>
          Connect again
        </Button>
      )}
      {!isOpen && canEdit(client) && !isGone(client) && (
        <Button icon="edit" onClick={() => edit(client)}>
          Edit
        </Button>
      )}
      <Button icon="send" onClick={ping} isDisabled={client.state !== 'ready'}>
        Ping
      </Button>
      <span class="soft" role="status">
        {pinged.value}
      </span>
    </div>
  );
}

function ConnectionDetails({ client }: { readonly client: ClientInfo }) {
  const { state, server, protocolVersion, transport, openedAt, retryAt, connections, options } = client;
  const rows: readonly (readonly [string, string | undefined])[] = [
    ['State', retryAt === undefined ? state : `${state}, next attempt at ${shownTime(retryAt)}`],
    ['Server', server === undefined ? undefined : `${server.name} ${server.version}`],
    [
      'Protocol version',
      protocolVersion === undefined
        ? undefined
        : `${protocolVersion}${options.protocolVersion === undefined ? ' (negotiated)' : ' (chosen)'}`,
    ],
    ['Transport', transport],
    ['Opened', shownTime(openedAt)],
    ['Connections', String(connections.length)],
  ];
  return (
    <dl class="facts">
      {rows.map(([name, value]) =>
        value === undefined ? null : (
          <>
            <dt>{name}</dt>
            <dd class="mono">{value}</dd>
          </>
        ),
      )}
    </dl>
  );
}

/** A sign-in, step by step: what was requested, what was found, by which rule, and what follows. */
const AuthSteps = ({ steps }: { readonly steps: ClientInfo['auth'] }) => (
  <section aria-label="Sign-in">
    <h3>Sign-in</h3>
    <ol class="auth-steps">
      {steps.map(({ step, url, status, found, rule, next }, at) => (
        <li key={at} class={next === 'stop' ? 'bad' : undefined}>
          <p>
            <strong>{step}</strong> {status !== undefined && <span class="chip">{status}</span>}
          </p>
          {url !== undefined && <p class="mono faint">{url}</p>}
          <p>{found}</p>
          <p class="faint">
            {rule} → {next}
          </p>
        </li>
      ))}
    </ol>
  </section>
);
