/** The pages as text: every value is escaped, nothing runs or is loaded, and every text can be replaced. */
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { accountPage } from '../../src/auth-pages/account.ts';
import { approvalListPage, approvalPage } from '../../src/auth-pages/approvals.ts';
import { consentPage } from '../../src/auth-pages/consent.ts';
import { errorPage, signedOutPage } from '../../src/auth-pages/messages.ts';
import { pageHeaders } from '../../src/auth-pages/page.ts';
import type { PageTexts } from '../../src/auth-pages/texts.ts';
import { approval, consent, samples } from './samples.ts';

/** A page with one text in every place that a client, a user or a provider chooses. */
const everywhere = (text: string): string[] => [
  consentPage({
    ...consent,
    action: text,
    csrf: text,
    client: { name: text, host: text, isKnown: false },
    redirectUri: text,
    resource: text,
    scopes: [text],
    providerName: text,
    providerScopes: [text],
    user: text,
  }),
  approvalPage({
    ...approval,
    call: {
      id: text,
      address: text,
      server: text,
      tool: text,
      given: text,
      requester: { name: text, issuer: text, client: text },
      openUntil: text,
    },
    list: text,
    arguments: text,
    validated: text,
    rule: text,
    requestedAt: text,
    digest: text,
    decided: { state: 'used', by: text, at: text, reason: text, usedAt: text },
  }),
  approvalListPage({
    user: text,
    calls: [{ id: text, address: text, server: text, tool: text, given: text, openUntil: text }],
  }),
  errorPage({ text, link: new URL(`https://example.com/?x=${encodeURIComponent(text)}`), eventId: text }),
  accountPage({
    action: text,
    csrf: text,
    user: text,
    providerName: text,
    clients: [{ id: text, name: text, host: text, isKnown: false, scopes: [text] }],
  }),
];

/** The tags of a page, without the values of their attributes. */
const tagsOf = (page: string): string =>
  [...page.matchAll(/<(\/?[a-z!][a-z0-9]*)/gi)].map(([, name]) => name).join(' ');

const markup = fc.oneof(
  fc.string({
    unit: fc.constantFrom(
      '<',
      '>',
      '"',
      "'",
      '&',
      'script',
      'img src=x onerror=',
      '/',
      ' ',
      '=',
      'a',
      '\u202e',
      '{client}',
    ),
  }),
  fc.string({ unit: 'binary' }),
);

describe('values', () => {
  it('of clients, users and providers never become markup [s-security-24]', () => {
    const plain = everywhere('plain').map(tagsOf);
    fc.assert(
      fc.property(markup, (text) => {
        const pages = everywhere(text);
        expect(pages.map(tagsOf)).toEqual(plain);
        for (const page of pages)
          expect(page.replaceAll('\n', '')).not.toMatch(/[\p{Cc}\u200b-\u200f\u202a-\u202e\u2066-\u2069]/u);
      }),
      { seed: 7, numRuns: 300 },
    );
  });

  it('in texts of other values are not replaced again', () => {
    const page = consentPage({ ...consent, client: { name: '{provider}', isKnown: true } });
    expect(page).toContain('<b>{provider}</b> asks to act for you. You then sign in at <b>GitHub</b>.');
  });
});

describe('the consent page', () => {
  it('names the client as unverified, its host, the redirect with its host in bold, the server and all scopes [s-auth-99, s-auth-101]', () => {
    const page = samples.consent ?? '';
    expect(page).toContain('<b>Claude</b> <span class="tag">unverified</span>');
    expect(page).toContain('<code>claude.ai</code>');
    expect(page).toContain('<code>https://<b>claude.ai</b>/api/mcp/auth_callback</code>');
    for (const shown of [consent.resource, ...consent.scopes, ...consent.providerScopes])
      expect(page).toContain(`<code>${shown}</code>`);
    expect(page).not.toContain('class="warning"');
  });

  it('shows the real host of an address that looks like another', () => {
    for (const [redirectUri, shown] of [
      ['https://login.example.com@evil.example/x', 'https://login.example.com@<b>evil.example</b>/x'],
      ['HTTPS://Evil.Example/https://good.example', 'HTTPS://<b>Evil.Example</b>/https://good.example'],
      ['not a url', 'not a url'],
    ] as const)
      expect(consentPage({ ...consent, redirectUri })).toContain(`<code>${shown}</code>`);
  });

  it('warns of a program on this computer, and says nothing of a known name', () => {
    expect(samples['consent-local']).toContain('Allow it only if you started it yourself.');
    expect(samples['consent-long']).not.toContain('unverified');
  });
});

describe('all pages', () => {
  it('have no script, no event handler, and load nothing', () => {
    for (const page of Object.values(samples))
      expect(page).not.toMatch(/<script|<img|<link|<iframe|\son\w+=|url\(|@import/i);
    expect(pageHeaders).toMatchObject({
      'content-security-policy':
        "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'; base-uri 'none'",
      'cache-control': 'no-store',
      'referrer-policy': 'same-origin',
    });
  });

  it('take every text from the options, with their language', () => {
    const names = Object.keys({
      title: 1,
      intro: 1,
      application: 1,
      unverified: 1,
      unverifiedHint: 1,
      redirect: 1,
      server: 1,
      scopes: 1,
      providerScopes: 1,
      allow: 1,
      deny: 1,
    }) as (keyof PageTexts)[];
    const texts = { language: 'de', ...Object.fromEntries(names.map((name) => [name, `*${name}*`])) };
    const page = consentPage({ ...consent, texts });
    for (const name of names) expect(page).toContain(`*${name}*`);
    expect(page).toContain('<html lang="de">');
    expect(signedOutPage({ texts: { signedOutTitle: 'Abgemeldet' } })).toContain('<h1>Abgemeldet</h1>');
    expect(errorPage({ text: 'x', eventId: 'e1', texts: { eventId: 'Ereignis {id}' } })).toContain(
      'Ereignis <b>e1</b>',
    );
  });
});
