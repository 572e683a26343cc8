/** The panel that opens a client: servers that were found, a URL, or a command, which is shown in full before it starts. */
import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import type { ApiError, ApiTarget, ClientInfo, OfferedTarget, PreparedTarget } from '../../../../src/inspector/api.ts';
import { call, errorOf } from '../api/call.ts';
import { Icon } from '../controls/icon.tsx';
import { ErrorNotice } from '../controls/notice.tsx';
import { replaceClient } from '../state/opening.ts';
import { choose, place } from '../state/place.ts';
import { isGone } from '../state/restart.ts';
import { clients, known, putClient } from '../state/store.ts';
import { remove } from './client-actions.ts';
import { Confirm } from './confirm.tsx';
import { type Chosen, edited, rememberTyped } from './edited.ts';
import { TargetForm } from './target-form.tsx';

export function Connect() {
  const offered = useSignal<readonly OfferedTarget[] | undefined>(undefined);
  const waiting = useSignal<{ readonly chosen: Chosen; readonly prepared: PreparedTarget } | undefined>(undefined);
  const error = useSignal<ApiError | undefined>(undefined);
  useEffect(() => {
    void call('offered', {}).then(
      ({ targets }) => (offered.value = targets),
      () => (offered.value = []),
    );
  }, []);

  const open = async ({ target, options }: Chosen, nonce?: string): Promise<void> => {
    error.value = undefined;
    try {
      const { client } = await call('connect', { target, options, ...(nonce !== undefined && { nonce }) });
      rememberTyped(client.id, { target, options });
      opened(client);
    } catch (thrown) {
      error.value = errorOf(thrown);
    }
  };
  /** Nothing starts before the user has seen it. */
  const prepare = async (chosen: Chosen): Promise<void> => {
    error.value = undefined;
    try {
      const prepared = await call('prepare', { target: chosen.target });
      if (prepared.spawns === undefined && prepared.sends === undefined) await open(chosen);
      else waiting.value = { chosen, prepared };
    } catch (thrown) {
      error.value = errorOf(thrown);
    }
  };
  const isEdited = edited.value !== undefined;
  // The form is for a new connection the next time.
  useEffect(() => () => void (edited.value = undefined), []);
  const confirm = (): void => {
    const { chosen, prepared } = waiting.value ?? {};
    waiting.value = undefined;
    if (chosen !== undefined) void open(chosen, (prepared?.spawns ?? prepared?.sends)?.nonce);
  };
  return (
    <article class="item-pane connect">
      <header class="item-head">
        <h2>{isEdited ? 'Edit the connection' : 'Connect to a server'}</h2>
        <p class="item-about">
          {isEdited
            ? 'What you change takes effect when it connects again.'
            : 'Several can be connected at once, also the same server with different protocol versions.'}
        </p>
      </header>
      {!isEdited && <Offered targets={offered.value} onChoose={(target) => void prepare({ target, options: {} })} />}
      {!known.value.offeredOnly && (
        <TargetForm key={edited.value?.client} onConnect={(chosen) => void prepare(chosen)} />
      )}
      {error.value !== undefined && <ErrorNotice error={error.value} />}
      {waiting.value !== undefined && (
        <Confirm prepared={waiting.value.prepared} onConfirm={confirm} onCancel={() => (waiting.value = undefined)} />
      )}
    </article>
  );
}

/** A client that was edited takes the place of the one before. */
function opened(client: ClientInfo): void {
  const before = clients.peek().find(({ id }) => id === edited.peek()?.client);
  const { name } = place.peek();
  if (before === undefined) {
    putClient(client);
    return choose({ client: client.id, section: 'tools', name: undefined });
  }
  replaceClient(before.id, client.id, () => putClient(client));
  choose({ client: client.id, section: 'tools', name });
  if (!isGone(before)) remove(before);
}

interface OfferedProps {
  readonly targets: readonly OfferedTarget[] | undefined;
  readonly onChoose: (target: ApiTarget) => void;
}

function Offered({ targets, onChoose }: OfferedProps) {
  if (targets === undefined) return <p class="faint">Looking for servers…</p>;
  if (targets.length === 0) return null;
  return (
    <section class="offered" aria-label="Servers that were found">
      <h3>Servers that were found</h3>
      {targets.map(({ target, name, shown, source, problem }) => (
        <button
          key={`${source?.path} ${name}`}
          type="button"
          class="offered-row"
          disabled={problem !== undefined}
          onClick={() => onChoose(target)}
        >
          <Icon name="server" />
          <span class="offered-name">{name}</span>
          <span class="mono faint offered-shown">{problem?.message ?? shown}</span>
          {source !== undefined && (
            <span class="chip" title={source.path}>
              {source.client}
            </span>
          )}
        </button>
      ))}
    </section>
  );
}
