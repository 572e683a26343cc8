/** Finishes the sign-in of a web application: the response is checked against the stored request, and the code is exchanged. */

import { redeem, refusedSignIn } from '../grants/authorization-code.ts';
import { codeFlowProblem, readAuthorizationResponse, step } from '../grants/authorization-request.ts';
import { takePendingSignIn } from '../grants/web-sign-in.ts';
import type { ResolvedOptions } from '../settings.ts';
import { Steps } from '../steps.ts';
import { newBindingKey, requireBound } from '../tokens/binding.ts';
import { requestToken } from '../tokens/token-request.ts';
import { findServer, startDiscovery, storeGranted, tokenEndpoint } from './authorization.ts';

const rule = 'OAuth 2.1, 4.1: authorization code with PKCE';

/** Resolves to the URL of the server that the person signed in to. A state is accepted once. */
export async function finishSignIn(options: ResolvedOptions, callback: URL): Promise<string> {
  const state = callback.searchParams.get('state') ?? '';
  const pending = await takePendingSignIn(options.store, state);
  if (pending === undefined)
    throw new Steps(callback.origin, options.explain).failure({
      step,
      url: callback.href,
      found: 'No sign-in with this state is under way: it was finished, has expired, or did not start here.',
      rule: 'RFC 6749, 10.12: state must be the one that was sent',
      hint: 'Start again with connect(). All processes of the application need the same store.',
    });
  const { serverUrl, issuer, resource, scopes } = pending;
  const discovery = startDiscovery(options, serverUrl, new AbortController().signal);
  const { steps } = discovery;
  const server = await findServer(discovery, serverUrl, issuer);
  if (server === undefined) throw steps.failure(noMetadata(issuer));
  const problem = codeFlowProblem(server);
  if (problem !== undefined) throw steps.failure(problem);
  const response = readAuthorizationResponse(server, pending, callback);
  if ('problem' in response)
    throw steps.failure({
      step,
      url: callback.href,
      found: response.problem,
      rule: response.rule,
      hint: response.hint,
    });
  if ('refusal' in response) throw refusedSignIn({ steps, server }, response.refusal);
  steps.add({ step, url: callback.href, found: 'The person came back with a code.', rule, next: 'exchange the code' });
  const bindingKey = await newBindingKey(server, options.dpop, pending.isBound, steps);
  const endpoint = await tokenEndpoint(discovery, options, { server, resource, scopes: undefined }, bindingKey);
  const own = options.client?.clientId === pending.client.clientId ? options.client : pending.client;
  const context = { scopes, endpoint, requestToken: requestToken.bind(undefined, endpoint) };
  const granted = await redeem(context, own, pending, response.code);
  requireBound(server, granted.tokens, options.dpop, steps);
  await storeGranted(options, serverUrl, { server, resource }, granted, bindingKey);
  return serverUrl;
}

const noMetadata = (issuer: string) =>
  ({
    step: 'server-metadata',
    url: issuer,
    found: 'The authorization server has no metadata any more.',
    rule: 'RFC 8414, 3.1',
    hint: 'Start again with connect().',
  }) as const;
