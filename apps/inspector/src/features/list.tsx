/** The list of a section: what the server offers, with a search. Arrow keys move through it. */
import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import type { ClientInfo, FeatureKind, FeatureLists } from '../../../../src/inspector/api.ts';
import { IconButton } from '../controls/button.tsx';
import { Cut } from '../controls/cut.tsx';
import { shownValue } from '../controls/format.ts';
import { useInView } from '../controls/in-view.ts';
import { Empty, ErrorNotice } from '../controls/notice.tsx';
import { useOneStop } from '../controls/one-stop.ts';
import { appUriOf } from '../state/app-uri.ts';
import { listKey } from '../state/known.ts';
import { ensureList, type ListChange, listOf, load, nameOf, titleOf } from '../state/lists.ts';
import { showPane } from '../state/panes.ts';
import { choose, place } from '../state/place.ts';
import { client, known } from '../state/store.ts';

type SectionWithList = 'tools' | 'resources' | 'prompts' | 'apps';

/** The lists of a section, each under its heading if there are several. */
const kindsOf: Readonly<Record<SectionWithList, readonly FeatureKind[]>> = {
  tools: ['tools'],
  resources: ['resources', 'templates'],
  prompts: ['prompts'],
  apps: ['tools'],
};

const nouns: Readonly<Record<FeatureKind, string>> = {
  tools: 'tools',
  resources: 'resources',
  templates: 'templates',
  prompts: 'prompts',
};

export function FeatureList() {
  const search = useSignal('');
  const stop = useOneStop<HTMLDivElement>('.list-row');
  const shown = client.value;
  const section = place.value.section as SectionWithList;
  if (shown === undefined) return null;
  const kinds = kindsOf[section];
  const noun = section === 'apps' ? 'apps' : nouns[kinds[0] ?? 'tools'];
  const sought = search.value.toLowerCase();
  const counts = countsOf(kinds.map((kind) => itemsOf(shown.id, kind, section === 'apps', sought)));
  return (
    <section class="list" aria-label={noun}>
      <div class="list-head">
        <input
          type="search"
          placeholder={counts === undefined || counts.all < 2 ? `Search ${noun}` : `Search ${counts.all} ${noun}`}
          aria-label={`Search ${noun}`}
          title="Press / to search"
          value={search}
          onInput={(event) => (search.value = event.currentTarget.value)}
          onKeyDown={(event) => {
            if (event.key !== 'ArrowDown') return;
            event.preventDefault();
            focusOn('.list-row');
          }}
        />
        {sought !== '' && counts !== undefined && (
          <span class="list-count faint" role="status">
            {counts.found} of {counts.all}
          </span>
        )}
        <IconButton
          icon="reload"
          label="Fetch the list again"
          onClick={() => kinds.forEach((kind) => void load(shown.id, kind, false, true))}
        />
      </div>
      <div
        class="list-rows"
        {...stop}
        onKeyDown={(event) => {
          const isFirst = document.activeElement === document.querySelector('.list-row');
          if (event.key === 'ArrowUp' && isFirst) return focusOn('.list-head input');
          return stop.onKeyDown(event);
        }}
      >
        {kinds.map((kind) => (
          <Kind key={kind} client={shown} kind={kind} search={sought} isApps={section === 'apps'} />
        ))}
      </div>
    </section>
  );
}

interface Found {
  readonly all: readonly ListItem[];
  readonly found: readonly ListItem[];
  readonly isLoading: boolean;
}

type ListItem = FeatureLists[FeatureKind][number];

/** The items of a list, and those that have the text that is searched for. */
function itemsOf(client: string, kind: FeatureKind, isApps: boolean, search: string): Found {
  const { items, isLoading } = listOf(client, kind);
  const all = isApps ? items.filter((item) => appUriOf(item) !== undefined) : items;
  const found = all.filter((item) =>
    `${nameOf(item)} ${titleOf(item)} ${item.description ?? ''}`.toLowerCase().includes(search),
  );
  return { all, found, isLoading };
}

/** Nothing while a list is loaded for the first time. */
function countsOf(lists: readonly Found[]): { readonly all: number; readonly found: number } | undefined {
  const sum = (name: 'all' | 'found'): number => lists.reduce((total, list) => total + list[name].length, 0);
  return lists.some(({ isLoading, all }) => isLoading && all.length === 0)
    ? undefined
    : { all: sum('all'), found: sum('found') };
}

interface KindProps {
  readonly client: ClientInfo;
  readonly kind: FeatureKind;
  readonly search: string;
  readonly isApps: boolean;
}

function Kind({ client: shown, kind, search, isApps }: KindProps) {
  const changes = known.value.listChanges[listKey(shown.id, kind)] ?? 0;
  useEffect(() => ensureList(shown, kind, changes));
  const { isLoading, error, change } = listOf(shown.id, kind);
  const { found } = itemsOf(shown.id, kind, isApps, search);
  return (
    <>
      {kind === 'templates' && found.length > 0 && <h2 class="list-heading">Templates</h2>}
      {change !== undefined && <Change change={change} />}
      {error !== undefined && <ErrorNotice error={error} />}
      {found.map((item) => (
        <Row
          key={nameOf(item)}
          name={nameOf(item)}
          title={titleOf(item)}
          about={item.description}
          isNew={isNew(item, change)}
        />
      ))}
      {found.length === 0 && error === undefined && kind !== 'templates' && (
        <Empty>{emptyText(shown, isLoading, search, isApps ? 'apps' : nouns[kind])}</Empty>
      )}
    </>
  );
}

function emptyText({ state }: ClientInfo, isLoading: boolean, search: string, noun: string): string {
  if (state !== 'ready') return state === 'closed' ? 'Not connected.' : 'Connecting…';
  if (isLoading) return 'Loading…';
  return search === '' ? `This server has no ${noun}.` : `No ${noun} with “${search}”.`;
}

const isNew = (item: Parameters<typeof nameOf>[0], change: ListChange | undefined): boolean =>
  change?.added.includes(nameOf(item)) === true || change?.changed.includes(nameOf(item)) === true;

function Change({ change: { added, removed, changed } }: { readonly change: ListChange }) {
  const parts = [
    ...added.map((name) => `+ ${name}`),
    ...removed.map((name) => `− ${name}`),
    ...changed.map((name) => `~ ${name}`),
  ];
  if (parts.length === 0) return null;
  return (
    <p class="list-change" role="status">
      <strong>The list has changed.</strong> <span class="mono">{parts.slice(0, 6).join('  ')}</span>
      {parts.length > 6 && ` and ${parts.length - 6} more`}
    </p>
  );
}

interface RowProps {
  readonly name: string;
  readonly title: string;
  readonly about: string | undefined;
  readonly isNew: boolean;
}

/** A row is one line: more would only take time to lay out. */
const maxChars = 200;

function Row({ name, title, about, isNew }: RowProps) {
  const isHere = place.value.name === name;
  const row = useInView<HTMLButtonElement>(isHere);
  const go = (): void => {
    choose({ name });
    showPane('section');
  };
  return (
    <button ref={row} type="button" class="list-row" aria-current={isHere ? 'true' : undefined} onClick={go}>
      <span class="list-title">
        <Cut text={shownValue(title, maxChars)} before={isNew ? 2 : 0} />
        {isNew && <span class="dot new" role="img" aria-label="new or changed" />}
      </span>
      {isSame(title, name) ? (
        <span class="list-about">{shownValue(about ?? '', maxChars)}</span>
      ) : (
        <span class="list-name mono">
          <Cut text={shownValue(name, maxChars)} />
        </span>
      )}
    </button>
  );
}

/** A title that only writes the name in other letters needs no second line with the name. */
const isSame = (title: string, name: string): boolean =>
  !name.includes(':') && title.toLowerCase().replace(/[^a-z\d]/g, '') === name.toLowerCase().replace(/[^a-z\d]/g, '');

const focusOn = (selector: string): void => document.querySelector<HTMLElement>(selector)?.focus();
