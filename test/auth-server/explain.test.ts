/** A wrong setting at the provider, as each sees it: the user on a page, the client in `explain`, the operator in an event. */
import { connect, TenonError } from 'tenon';
import { type AuthStep, oauth } from 'tenon/auth';
import { expect, it } from 'vitest';
import { Browser } from '../kit/auth-server/browser.ts';
import { type StartOptions, startSignInServer } from '../kit/auth-server/sign-in-server.ts';

const redirectUri = 'http://127.0.0.1:8123/callback';

/** A provider whose token endpoint answers with an error. */
const refusing = (error: string, description?: string): StartOptions => ({
  options: {
    fetch: async (url, init) =>
      url.endsWith('/token')
        ? Response.json({ error, error_description: description }, { status: 400 })
        : fetch(url, init),
  },
});

const settings: readonly [what: string, given: StartOptions, code: string, names: RegExp][] = [
  [
    'a wrong secret',
    refusing('invalid_client'),
    'server_error',
    /dev refused the client ID or its secret\. Check clientId/,
  ],
  [
    'a callback that is not registered',
    refusing('redirect_uri_mismatch'),
    'server_error',
    /dev refused the callback address\. Register http:\/\/\S+\/callback as its callback URL\./,
  ],
  [
    'a missing scope',
    refusing('invalid_scope'),
    'server_error',
    /dev refused the scopes\. Set scopes to those that it knows/,
  ],
  [
    'a grant that is not enabled',
    refusing('unauthorized_client'),
    'server_error',
    /dev does not allow this client to sign users in with codes\. Enable the authorization code grant/,
  ],
  [
    'a wrong issuer',
    { options: { fetch: async () => Response.json({ issuer: 'https://other.example' }) } },
    'server_error',
    /The issuer of dev is https:\/\/other\.example, not http\S+ Check issuer/,
  ],
  [
    'a provider that is not there',
    { options: { fetch: () => Promise.reject(new TypeError('fetch failed')) } },
    'temporarily_unavailable',
    /dev cannot be reached/,
  ],
  [
    'a user who may not sign in',
    {
      signIn: {
        user: () => {
          throw new TenonError('forbidden', 'Only members of "acme" may sign in.');
        },
      },
    },
    'access_denied',
    /Only members of .acme. may sign in/,
  ],
];

it.each(settings)('names %s, and leads back to the client', async (_, given, code, names) => {
  const server = await startSignInServer(given);
  const steps: AuthStep[] = [];
  const pages: string[] = [];
  const browser = new Browser();
  const auth = oauth({
    explain: (step) => steps.push(step),
    timeouts: { requestMs: 60_000 },
    signIn: {
      prepare: async () => ({
        redirectUri,
        async authorize(url) {
          let page = await server.answer(browser, await browser.follow(url));
          const { location } = page;
          if (location !== undefined) page = await browser.follow(await server.provider.signIn(location));
          pages.push(page.html);
          const [, back = ''] = /<a href="([^"]+)">Go back to the application<\/a>/.exec(page.html) ?? [];
          const left = await browser.follow(new URL(back, server.issuer));
          return left.location as URL;
        },
        close: async () => {},
      }),
    },
  });
  await expect(connect({ url: server.resource, auth })).rejects.toMatchObject({
    code: 'authorization-failed',
    message: expect.stringMatching(names),
    details: expect.objectContaining({ error: code }),
  });
  expect(pages[0]?.replaceAll('&quot;', '"')).toMatch(names);
  expect(steps.at(-1)).toMatchObject({ step: 'authorization', found: expect.stringMatching(names), next: 'stop' });
  expect(server.events.some(({ reason, id }) => names.test(reason ?? '') && pages[0]?.includes(`${id}`))).toBe(true);
});
