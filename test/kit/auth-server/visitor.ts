/** A user who allows a client at an authorization server, and signs in at the development server behind it. */
import { signInAtDevAuth, type VisitOptions } from 'tenon/dev-auth';
import { Browser, hiddenFields } from './browser.ts';

/** Resolves to the redirect to the client. */
export async function visitSignIn(page: string | URL, visitor: VisitOptions = {}): Promise<URL> {
  const browser = new Browser();
  const consent = await browser.follow(page);
  const { location } = await browser.post(consent.url, { ...hiddenFields(consent.html), answer: 'allow' });
  if (location === undefined) throw new Error(`${consent.status} at ${consent.url.pathname}: ${consent.html}`);
  const last = await browser.follow(await signInAtDevAuth(location, visitor));
  if (last.location === undefined) throw new Error(`${last.status} at ${last.url.pathname}: ${last.html}`);
  return last.location;
}
