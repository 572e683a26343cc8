/** The key of this tab, and what it needs to enter a process that is started again. The token leaves the address bar before anything is sent. */
import type { TabCredentials } from '../../../../src/inspector/api.ts';

const place = 'tenon-inspector-key';
const tabPlace = 'tenon-inspector-tab';

export const tabKey = (): string | undefined => sessionStorage.getItem(place) ?? undefined;

export function tabCredentials(): TabCredentials | undefined {
  const stored = sessionStorage.getItem(tabPlace);
  return stored === null ? undefined : (JSON.parse(stored) as TabCredentials);
}

interface Entered {
  readonly key: string;
  readonly tab?: TabCredentials;
}

export function storeKey({ key, tab }: Entered): void {
  sessionStorage.setItem(place, key);
  if (tab === undefined) sessionStorage.removeItem(tabPlace);
  else sessionStorage.setItem(tabPlace, JSON.stringify(tab));
}

export function dropKey(): void {
  sessionStorage.removeItem(place);
  sessionStorage.removeItem(tabPlace);
}

/** Takes the token out of the address. `undefined` if there is none. */
export function takeToken(): string | undefined {
  const address = new URL(location.href);
  const token = address.searchParams.get('token');
  if (token === null) return undefined;
  address.searchParams.delete('token');
  history.replaceState(null, '', `${address.pathname}${address.search}${address.hash}`);
  return token;
}

/** The token in a link that was pasted, or the text itself if it is no link. */
export function tokenIn(pasted: string): string {
  const text = pasted.trim();
  return URL.canParse(text) ? (new URL(text).searchParams.get('token') ?? text) : text;
}
