/** The device code grant (RFC 8628): the person signs in with a browser on any device, and this program asks whether they have. */
import * as oauth from 'oauth4webapi';
import { readOptions } from '../../../lib/options/read-options.ts';
import { escapeControls } from '../../../lib/text/control-characters.ts';
import { type Deadlines, processDeadlines } from '../../../lib/time/deadlines.ts';
import { deadlinesIn } from '../../../lib/time/internal-deadlines.ts';
import { runSafely } from '../../../lib/values/run-safely.ts';
import { isSecureUrl } from '../../secure-url.ts';
import { authenticationOf, methodsOf, type OAuthClient } from '../registration/client.ts';
import { withTimeLimit } from '../time-limit.ts';
import type { OAuthRefusal } from '../tokens/quirks.ts';
import { adapted } from './adapted.ts';
import { asGrant, type Grant, type GrantContext, type Granted } from './grant.ts';
import { deviceCodeOptions } from './options.table.ts';
import type { DeviceCode, DeviceCodeOptions } from './options.ts';

const grantType = 'urn:ietf:params:oauth:grant-type:device_code';
const step = 'authorization';
const rule = 'RFC 8628, 3.1: device authorization';

/** Where the server names none, RFC 8628 says 5 seconds; more is added when the server asks for it. */
const intervalSeconds = 5;

/**
 * Seconds between two requests for a device code; more is added when the server asks for it.
 * @limit credentials
 * @default as the server says, 1 to 60
 */
const maxIntervalSeconds = 60;

/**
 * Lets a person sign in without a browser on this machine: they open a page on any device and enter a code.
 *
 * @example
 * ```ts
 * const auth = oauth({ store: credentialsFolder(), grant: deviceCode() });
 * ```
 */
export function deviceCode(options: DeviceCodeOptions = {}): Grant {
  const { onCode = print } = readOptions('deviceCode()', deviceCodeOptions, options);
  const deadlines = deadlinesIn(options) ?? processDeadlines();
  return asGrant({
    grantTypes: [grantType, 'refresh_token'],
    asksPerson: true,
    async obtain(context) {
      const client = await context.client([]);
      const started = await requestCode(context, client);
      const { device_code: code, expires_in: seconds, interval } = started;
      const failure = new Promise<never>((_resolve, reject) =>
        runSafely(
          () => onCode(shownCode(started)),
          (cause) => reject(notShown(context, cause)),
        ),
      );
      const lifeMs = Math.min(seconds * 1000, context.signInMs);
      return withTimeLimit(
        lifeMs,
        context.signal,
        () => tooLate(context, lifeMs),
        (signal) => Promise.race([failure, poll(context, client, code, poller(deadlines, interval, signal))]),
      );
    },
  });
}

const print = ({ url, code }: DeviceCode): void => console.error(`Sign in at ${url}\nand enter the code ${code}`);

/** It is printed: the server could move the cursor of a terminal otherwise. */
function shownCode(started: oauth.DeviceAuthorizationResponse): DeviceCode {
  const { verification_uri: url, verification_uri_complete: complete, user_code: code, expires_in: seconds } = started;
  return {
    url: new URL(url).href,
    ...(complete !== undefined && isSecureUrl(complete) && { urlWithCode: new URL(complete).href }),
    code: escapeControls(code).slice(0, 100),
    expiresAt: Date.now() + seconds * 1000,
  };
}

async function requestCode(
  context: GrantContext,
  client: OAuthClient,
  mayRetry = true,
): Promise<oauth.DeviceAuthorizationResponse> {
  const { server, steps, scopes, resource, endpoint, fetch, signal } = context;
  const url = server.device_authorization_endpoint;
  const failed = (found: string, hint: string, status?: number) =>
    steps.failure({ step, url: url ?? server.issuer, status, found, rule, hint });
  if (url === undefined)
    throw failed('It has no device_authorization_endpoint.', 'Let the person sign in with a browser: pass signIn.');
  const own = { client_id: client.clientId };
  const [preferred = 'none', ...otherMethods] = methodsOf(client, server);
  const authentication = authenticationOf(client, endpoint.quirks.clientAuth ?? preferred);
  const parameters = {
    ...(scopes !== undefined && { scope: scopes.join(' ') }),
    ...(endpoint.quirks.resource !== 'omit' && { resource }),
  };
  let status: number | undefined;
  try {
    const response = await oauth.deviceAuthorizationRequest(server, own, authentication, parameters, {
      [oauth.customFetch]: (to, init) => fetch(to, init as Parameters<typeof fetch>[1]),
      // The fetch decides which URLs are safe.
      [oauth.allowInsecureRequests]: true,
      signal,
    });
    status = response.status;
    const started = await oauth.processDeviceAuthorizationResponse(server, own, response);
    if (!isSecureUrl(started.verification_uri)) throw new Error('Its page is not an https URL.');
    steps.add({
      step,
      url,
      status,
      found: 'It issued a device code.',
      rule,
      next: 'wait until the person has signed in',
    });
    return started;
  } catch (error) {
    if (signal.aborted) throw error;
    const refusal = refusalIn(error);
    const isChanged = mayRetry && refusal !== undefined && (await adapted(context, refusal, otherMethods));
    if (isChanged) return requestCode(context, client, false);
    const found = refusal === undefined ? (error as Error).message : `It answered ${refusal.error}.`;
    throw failed(found, 'Allow the device code grant for this client at the authorization server.', status);
  }
}

/** What the server answered, if it did. oauth4webapi throws another error where the response has a challenge. */
function refusalIn(error: unknown): OAuthRefusal | undefined {
  if (error instanceof oauth.ResponseBodyError)
    return { status: error.status, error: error.error, description: error.error_description ?? '' };
  if (error instanceof oauth.WWWAuthenticateChallengeError && error.status === 401)
    return { status: 401, error: 'invalid_client', description: '' };
  return undefined;
}

/** Waits before the next request; resolves to whether there is one. */
type Poller = (error: string) => Promise<boolean>;

function poller(deadlines: Deadlines, interval = intervalSeconds, signal: AbortSignal): Poller {
  let seconds = Math.min(Math.max(1, interval), maxIntervalSeconds);
  return async (error) => {
    if (error !== 'authorization_pending' && error !== 'slow_down') return false;
    if (error === 'slow_down') seconds = Math.min(seconds + 5, maxIntervalSeconds);
    await new Promise<void>((resolve, reject) => {
      const onAbort = (): void => {
        deadlines.cancel(deadline);
        reject(signal.reason);
      };
      const deadline = deadlines.add(seconds * 1000, () => {
        signal.removeEventListener('abort', onAbort);
        resolve();
      });
      signal.addEventListener('abort', onAbort, { once: true });
    });
    return true;
  };
}

async function poll(context: GrantContext, client: OAuthClient, code: string, isRepeated: Poller): Promise<Granted> {
  const { scopes } = context;
  const tokens = await context.requestToken(client, {
    step: 'token',
    grantType,
    parameters: { device_code: code },
    scopes,
    rule: 'RFC 8628, 3.4: the device code is exchanged',
    isRepeated,
  });
  return { client, tokens, scopes };
}

const notShown = ({ steps, server }: GrantContext, cause: unknown): Error =>
  steps.failure({
    step,
    url: server.device_authorization_endpoint,
    found: 'onCode failed.',
    rule,
    hint: 'Its error is the cause.',
    cause,
  });

const tooLate = ({ steps, server }: GrantContext, ms: number): Error =>
  steps.failure({
    step,
    url: server.device_authorization_endpoint,
    found: `The person has not signed in within ${ms} ms.`,
    rule,
    hint: 'Sign in again; raise timeouts.signInMs of oauth() if the code is valid for longer.',
  });
