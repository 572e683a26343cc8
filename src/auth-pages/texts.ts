/** The texts of the pages, each of which can be replaced. `{client}` and the like stand for values. */
import { type Html, html } from './html.ts';

/** Every text of the pages. Words in braces are replaced: `{client}`, `{provider}`, `{user}`, `{id}`. */
export interface PageTexts {
  /** The language of the texts, as HTML names it: `en`, `de`, `pt-BR`. */
  readonly language: string;
  /** The title of the page that asks for consent. */
  readonly title: string;
  /** What the client asks for, and where the user signs in: `{client}`, `{provider}`. */
  readonly intro: string;
  /** Where the user is known: `{user}`. */
  readonly signedInAs: string;
  /** The label of the client. */
  readonly application: string;
  /** Beside the name of a client that anyone could have chosen. */
  readonly unverified: string;
  /** What that means. */
  readonly unverifiedHint: string;
  /** The label of the redirect URI. */
  readonly redirect: string;
  /** The label of this server. */
  readonly server: string;
  /** The label of the scopes. */
  readonly scopes: string;
  /** Where there are no scopes. */
  readonly noScopes: string;
  /** The label of the scopes at the provider: `{provider}`. */
  readonly providerScopes: string;
  /** The warning about programs on the computer of the user. */
  readonly loopback: string;
  /** The button that allows. */
  readonly allow: string;
  /** The button that denies. */
  readonly deny: string;
  /** The title of a page that explains an error. */
  readonly errorTitle: string;
  /** The link to the application that the user came from. */
  readonly back: string;
  /** The link to an application that is not known, whose request is not valid: `{host}`. */
  readonly goTo: string;
  /** Where the error is in the log of the server: `{id}`. */
  readonly eventId: string;
  /** The title of the page after a sign-out. */
  readonly signedOutTitle: string;
  /** The text of that page. */
  readonly signedOutText: string;
  /** The title of the account page. */
  readonly accountTitle: string;
  /** Who is signed in: `{user}`, `{provider}`. */
  readonly accountIntro: string;
  /** Above the clients. */
  readonly accountClients: string;
  /** Where there are none. */
  readonly noClients: string;
  /** When a client was allowed: `{date}`. */
  readonly approved: string;
  /** The button that ends the access of a client. */
  readonly revoke: string;
  /** The same for screen readers: `{client}`. */
  readonly revokeLabel: string;
  /** The button that signs out. */
  readonly signOut: string;
}

const english: PageTexts = {
  language: 'en',
  title: 'Allow access?',
  intro: '{client} asks to act for you. You then sign in at {provider}.',
  signedInAs: 'You are signed in as {user}.',
  application: 'Application',
  unverified: 'unverified',
  unverifiedHint: 'The application chose this name itself.',
  redirect: 'Afterwards you are sent to',
  server: 'It may use this server',
  scopes: 'It may do this',
  noScopes: 'What needs no special permission',
  providerScopes: 'This server asks {provider} for',
  loopback: 'This application is a program on your computer. Allow it only if you started it yourself.',
  allow: 'Allow',
  deny: 'Deny',
  errorTitle: 'The sign-in failed',
  back: 'Go back to the application',
  goTo: 'Go to {host}, if you trust it',
  eventId: 'If you ask for help, name the event {id}.',
  signedOutTitle: 'You are signed out',
  signedOutText: 'Applications that you allowed keep their access. You can close this page.',
  accountTitle: 'Your account',
  accountIntro: 'You are signed in as {user} with {provider}.',
  accountClients: 'These applications can act for you:',
  noClients: 'No application can act for you.',
  approved: 'Allowed on {date}',
  revoke: 'Remove access',
  revokeLabel: 'Remove access of {client}',
  signOut: 'Sign out',
};

export const readTexts = (texts: Partial<PageTexts> = {}): PageTexts => ({ ...english, ...texts });

/** The text with its values in bold; a word in braces without a value remains. */
export function filled(text: string, values: Readonly<Record<string, string>>): Html {
  const parts = text.split(/\{(\w+)\}/);
  return html`${parts.map((part, at) => {
    if (at % 2 === 0) return part;
    return Object.hasOwn(values, part) ? html`<b>${values[part]}</b>` : `{${part}}`;
  })}`;
}

/** The text with its values, for attributes. */
export const plain = (text: string, values: Readonly<Record<string, string>>): string =>
  text.replace(/\{(\w+)\}/g, (all, name: string) => (Object.hasOwn(values, name) ? (values[name] as string) : all));
