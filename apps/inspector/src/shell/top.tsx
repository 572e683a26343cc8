/** The bar at the top: the clients as tabs, the palette and the theme. */
import type { ClientInfo } from '../../../../src/inspector/api.ts';
import { connectAgain, disconnect, remove } from '../connect/client-actions.ts';
import { duplicate } from '../connect/duplicate.ts';
import { canEdit, edit } from '../connect/edited.ts';
import { IconButton } from '../controls/button.tsx';
import { Icon, Mark } from '../controls/icon.tsx';
import { useInView } from '../controls/in-view.ts';
import { Menu, type MenuItem } from '../controls/menu.tsx';
import { useOneStop } from '../controls/one-stop.ts';
import { isPaletteOpen, shownKeys } from '../state/keys.ts';
import { showPane } from '../state/panes.ts';
import { choose, place } from '../state/place.ts';
import { clients, known, link } from '../state/store.ts';
import { nextTheme, theme } from './theme.ts';

export function Top() {
  const stop = useOneStop<HTMLDivElement>('.tab > button, .tab-more');
  const icons = { auto: 'auto', light: 'sun', dark: 'moon' } as const;
  return (
    <header class="top">
      <div class="brand" title={`Tenon ${known.value.version}`}>
        <Mark />
        <h1>Tenon</h1>
      </div>
      <nav class="tabs" aria-label="Clients">
        <div class="tabs-all" {...stop}>
          {clients.value.map((each) => (
            <ClientTab key={each.id} client={each} />
          ))}
        </div>
        <button
          type="button"
          class="tab-add"
          aria-current={place.value.section === 'connect' ? 'page' : undefined}
          onClick={() => {
            choose({ section: 'connect' });
            showPane('section');
          }}
        >
          <Icon name="plus" />
          <span>Connect</span>
        </button>
      </nav>
      <button type="button" class="palette-button" onClick={() => (isPaletteOpen.value = true)}>
        <Icon name="search" />
        <span>Search</span>
        <kbd>{shownKeys('K')}</kbd>
      </button>
      <IconButton icon={icons[theme.value]} label={`Theme: ${theme.value}`} onClick={nextTheme} />
    </header>
  );
}

function ClientTab({ client }: { readonly client: ClientInfo }) {
  const isHere = place.value.client === client.id && place.value.section !== 'connect';
  const { id, label, state, protocolVersion, error } = client;
  const go = (): void => {
    const { section } = place.value;
    choose({ client: id, section: section === 'connect' ? 'tools' : section });
    showPane('section');
  };
  const tab = useInView<HTMLDivElement>(isHere);
  return (
    <div ref={tab} class={`tab ${isHere ? 'here' : ''}`}>
      <button type="button" aria-current={isHere ? 'page' : undefined} onClick={go}>
        <StateDot client={client} />
        <span class="tab-name">{label}</span>
        <span class="tab-version">{protocolVersion ?? (error === undefined ? state : 'failed')}</span>
      </button>
      <Menu label={`Options of ${label}`} items={clientItems(client)} class="tab-more">
        <Icon name="down" />
      </Menu>
    </div>
  );
}

/** While the program does not answer, nothing is known of its connections. */
export function StateDot({ client: { state, error } }: { readonly client: ClientInfo }) {
  const colors: Readonly<Record<string, string>> = {
    ready: 'good',
    connecting: 'busy',
    backoff: 'busy',
    draining: 'busy',
  };
  const isKnown = link.value === 'live';
  const color = isKnown ? (colors[state] ?? (error === undefined ? 'off' : 'bad')) : 'off';
  const text = isKnown ? state : 'not known';
  return <span class={`dot ${color}`} role="img" aria-label={text} title={text} />;
}

function clientItems(client: ClientInfo): readonly (MenuItem | string)[] {
  const { id, state, protocolVersion } = client;
  const isOpen = state !== 'closed';
  return [
    'Same server, with',
    ...known.value.protocolVersions.map((version) => ({
      text: version,
      isChecked: version === protocolVersion,
      onChoose: () => void duplicate(id, version),
    })),
    'This client',
    isOpen
      ? { text: 'Disconnect', icon: 'stop' as const, onChoose: () => disconnect(client) }
      : { text: 'Connect again', icon: 'reload' as const, onChoose: () => connectAgain(client) },
    ...(canEdit(client) ? [{ text: 'Edit', icon: 'edit' as const, onChoose: () => edit(client) }] : []),
    {
      text: 'Remove',
      icon: 'trash',
      isDanger: true,
      onChoose: () => remove(client),
    },
  ];
}
