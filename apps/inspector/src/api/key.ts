/** The key of this tab: exchanged for the token of the link, which leaves the address bar before anything is sent. */

const place = 'tenon-inspector-key';

export const tabKey = (): string | undefined => sessionStorage.getItem(place) ?? undefined;

export const storeKey = (key: string): void => sessionStorage.setItem(place, key);

export const dropKey = (): void => sessionStorage.removeItem(place);

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
