/** The texts of the pages, each of which can be replaced. `{client}` and the like stand for values. */
import { type Html, html } from './html.ts';

/** Every text of the pages. Words in braces are replaced: `{client}`, `{provider}`, `{user}`, `{id}`. */
export interface PageTexts {
  /** The language of the texts, as HTML names it: `en`, `de`, `pt-BR`. */
  readonly language: string;
  /** The title of the page that asks for consent. */
  readonly title: string;
  readonly intro: string;
  readonly signedInAs: string;
  readonly application: string;
  /** Beside the name of a client that anyone could have chosen. */
  readonly unverified: string;
  readonly unverifiedHint: string;
  readonly redirect: string;
  readonly server: string;
  readonly scopes: string;
  readonly noScopes: string;
  readonly providerScopes: string;
  readonly loopback: string;
  /** The button that allows. */
  readonly allow: string;
  /** The button that denies. */
  readonly deny: string;
  readonly errorTitle: string;
  readonly eventId: string;
  readonly signedOutTitle: string;
  readonly signedOutText: string;
  readonly accountTitle: string;
  readonly accountIntro: string;
  readonly accountClients: string;
  readonly noClients: string;
  readonly approved: string;
  readonly revoke: string;
  readonly revokeLabel: string;
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
