/** Where the user is: the chosen client, section and item. It is in the address, so that a reload, a link and the back button come back to it. */
import { effect, signal } from '@preact/signals';
import { showPane } from './panes.ts';

export const sections = ['tools', 'resources', 'prompts', 'apps', 'server', 'tasks', 'connect'] as const;
export type Section = (typeof sections)[number];

export interface Place {
  readonly client?: string | undefined;
  readonly section: Section;
  /** The chosen tool, prompt, URI, URI template or task. */
  readonly name?: string | undefined;
  /** The recording that the timeline shows. */
  readonly recording: string;
  /** Whether a link named the place. */
  readonly isChosen: boolean;
  /** A target that a link names: the form is filled in, nothing is started. */
  readonly connect?: string | undefined;
}

/** Reads the part of an address after `#`. Anything that is not known is left out. */
export function placeIn(hash: string): Place {
  const fields = new URLSearchParams(hash.replace(/^#/, ''));
  const connect = fields.get('connect') ?? undefined;
  const section =
    sections.find((section) => section === fields.get('section')) ?? (connect === undefined ? 'tools' : 'connect');
  return {
    client: fields.get('client') ?? undefined,
    section,
    name: fields.get('name') ?? undefined,
    recording: fields.get('recording') ?? 'live',
    isChosen: fields.size > 0,
    connect,
  };
}

export function hashOf({ client, section, name, recording, connect }: Place): string {
  const fields = new URLSearchParams();
  if (client !== undefined) fields.set('client', client);
  fields.set('section', section);
  if (name !== undefined) fields.set('name', name);
  if (recording !== 'live') fields.set('recording', recording);
  if (connect !== undefined && section === 'connect') fields.set('connect', connect);
  return `#${fields}`;
}

export const place = signal<Place>(placeIn(globalThis.location?.hash ?? ''));

/** The item that was last open in each section of each client. */
const lastNames = new Map<string, string | undefined>();
const sectionKey = ({ client, section }: Place): string => `${client} ${section}`;

/** Whether the address of the place becomes a new entry of the browser's history. */
let isNewEntry = false;

/** Changes the place. In another section or client, the item that was last open there is chosen. A change `by` the page itself adds no entry to the history. */
export function choose(next: Partial<Omit<Place, 'isChosen'>>, by: 'user' | 'page' = 'user'): void {
  const before = place.value;
  lastNames.set(sectionKey(before), before.name);
  const after = { ...before, ...next };
  const isElsewhere = sectionKey(after) !== sectionKey(before);
  const name = 'name' in next || !isElsewhere ? after.name : lastNames.get(sectionKey(after));
  isNewEntry = by === 'user' && (isElsewhere || name !== before.name);
  place.value = { ...after, name };
}

/** Marks the entries of the history that the page has made, not a link. */
const ownEntry = 'place';

/** Keeps the address and the place the same, in both directions. */
export function followAddress(): void {
  effect(() => {
    const hash = hashOf(place.value);
    if (hash === location.hash) return;
    if (isNewEntry) history.pushState(ownEntry, '', hash);
    else history.replaceState(ownEntry, '', hash);
  });
  addEventListener('hashchange', () => {
    const before = place.peek();
    if (location.hash === hashOf(before)) return;
    isNewEntry = false;
    const next = placeIn(location.hash);
    // Going back leaves the timeline as it is: the capture of then may be closed.
    place.value = history.state === ownEntry ? { ...next, recording: before.recording } : next;
    showPane('section');
  });
}
