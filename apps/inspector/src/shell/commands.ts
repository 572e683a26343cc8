/** What the palette offers: items of the shown client, clients, sections, and actions. */
import { disconnect } from '../connect/client-actions.ts';
import { duplicate } from '../connect/duplicate.ts';
import type { IconName } from '../controls/icon.tsx';
import { runShown } from '../state/keys.ts';
import { listKey } from '../state/known.ts';
import { ensureList, listOf, nameOf, titleOf } from '../state/lists.ts';
import { showPane } from '../state/panes.ts';
import { choose } from '../state/place.ts';
import { client, clients, known } from '../state/store.ts';
import { sections } from './rail.tsx';
import { hasClosedSteps, showSteps } from './steps.tsx';
import { theme, themes } from './theme.ts';

export interface Command {
  readonly id: string;
  readonly icon: IconName;
  readonly text: string;
  readonly note: string;
  readonly run: () => void;
}

const go = (place: Parameters<typeof choose>[0]) => (): void => {
  choose(place);
  showPane('section');
};

export const commandsNow = (): readonly Command[] => [
  ...items(),
  ...actions(),
  ...clientCommands(),
  ...sectionCommands(),
];

/** What has items: its list, its section, and what an item is called. */
const kinds = [
  ['tools', 'tools', 'tool'],
  ['resources', 'resources', 'resource'],
  ['templates', 'resources', 'template'],
  ['prompts', 'prompts', 'prompt'],
] as const;

/** Loads the lists of the shown client that are not loaded yet. */
export function ensureAllLists(): void {
  const shown = client.value;
  if (shown === undefined) return;
  for (const [kind] of kinds) ensureList(shown, kind, known.value.listChanges[listKey(shown.id, kind)] ?? 0);
}

function items(): readonly Command[] {
  const shown = client.value;
  if (shown === undefined) return [];
  return kinds.flatMap(([kind, section, note]) =>
    listOf(shown.id, kind).items.map((item) => ({
      id: `${kind} ${nameOf(item)}`,
      icon: section,
      text: titleOf(item),
      note: `${note} ${nameOf(item)}`,
      run: go({ section, name: nameOf(item) }),
    })),
  );
}

function actions(): readonly Command[] {
  const run = runShown.value;
  const shown = client.value;
  return [
    ...(run === undefined ? [] : [{ id: 'run', icon: 'play' as const, text: 'Run', note: 'what is open', run }]),
    ...(hasClosedSteps()
      ? [{ id: 'steps', icon: 'check' as const, text: 'Show the first steps', note: '', run: () => showSteps(true) }]
      : []),
    { id: 'connect', icon: 'plus', text: 'Connect to a server', note: '', run: go({ section: 'connect' }) },
    ...themes.map((each) => ({
      id: `theme ${each}`,
      icon: ({ auto: 'auto', light: 'sun', dark: 'moon' } as const)[each],
      text: `Theme: ${each}`,
      note: '',
      run: () => void (theme.value = each),
    })),
    ...(shown === undefined
      ? []
      : known.value.protocolVersions.map((version) => ({
          id: `version ${version}`,
          icon: 'server' as const,
          text: `Same server with ${version}`,
          note: shown.label,
          run: () => void duplicate(shown.id, version),
        }))),
  ];
}

const clientCommands = (): readonly Command[] =>
  clients.value.flatMap((client) => {
    const { id, label, protocolVersion = '' } = client;
    return [
      {
        id: `client ${id}`,
        icon: 'server',
        text: `Go to ${label}`,
        note: protocolVersion,
        run: go({ client: id, section: 'tools' }),
      },
      {
        id: `disconnect ${id}`,
        icon: 'stop',
        text: `Disconnect ${label}`,
        note: protocolVersion,
        run: () => disconnect(client),
      },
    ];
  });

function sectionCommands(): readonly Command[] {
  return sections.map(([section, text], at) => ({
    id: section,
    icon: section,
    text,
    note: `Alt ${at + 1}`,
    run: go({ section }),
  }));
}

/** All words must be there; those that begin a text come first. */
export function matching(commands: readonly Command[], text: string): readonly Command[] {
  const words = text.toLowerCase().split(/\s+/).filter(Boolean);
  const found = commands.filter(({ text, note }) =>
    words.every((word) => `${text} ${note}`.toLowerCase().includes(word)),
  );
  const [first = ''] = words;
  const rank = (command: Command): number => (command.text.toLowerCase().startsWith(first) ? 0 : 1);
  return first === '' ? found : [...found].sort((one, other) => rank(one) - rank(other));
}
