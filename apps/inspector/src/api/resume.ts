/** Enters a process that was started again, without its link. First the process proves that it has the secret of this tab, then the tab does. */
import { call } from './call.ts';
import { storeKey, tabCredentials } from './key.ts';

/** Returns false if this tab cannot: it has no secret, or another program answers on this port. */
export async function resume(): Promise<boolean> {
  const tab = tabCredentials();
  // Other than on this machine a page has no such functions, and no inspector either.
  if (tab === undefined || globalThis.crypto?.subtle === undefined) return false;
  const { id, secret } = tab;
  const challenge = base64url(crypto.getRandomValues(new Uint8Array(16)));
  try {
    const greeted = await call('greet', { tab: id, challenge });
    if (greeted.proof !== (await proofOf(secret, 'process', id, challenge))) return false;
    const proof = await proofOf(secret, 'tab', id, greeted.challenge);
    storeKey(await call('resume', { tab: id, challenge: greeted.challenge, proof }));
    return true;
  } catch {
    return false;
  }
}

/** Holds for this origin only: another program cannot pass on what it gets. */
async function proofOf(secret: string, side: 'process' | 'tab', tab: string, challenge: string): Promise<string> {
  const bytes = (text: string): Uint8Array<ArrayBuffer> => new TextEncoder().encode(text);
  const key = await crypto.subtle.importKey('raw', bytes(secret), { name: 'HMAC', hash: 'SHA-256' }, false, ['sign']);
  const text = [side, location.origin, tab, challenge].join(' ');
  return base64url(new Uint8Array(await crypto.subtle.sign('HMAC', key, bytes(text))));
}

const base64url = (bytes: Uint8Array): string =>
  btoa(String.fromCharCode(...bytes))
    .replaceAll('+', '-')
    .replaceAll('/', '_')
    .replaceAll('=', '');
