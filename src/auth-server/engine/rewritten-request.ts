/** What clients send in several forms gets one form before the engine reads it. */
import { engineScope, type Resources } from '../resources.ts';
import type { ReceivedRequest } from './received-request.ts';

/** Parameters of OpenID Connect that the engine refuses without an ID token, and prompts: every sign-in asks the user anyway. */
const ignored = [
  'acr_values',
  'claims',
  'claims_locales',
  'id_token_hint',
  'login_hint',
  'max_age',
  'nonce',
  'ui_locales',
];

/** An authorization request: resources as this server writes them, and scopes that it knows. */
export function rewrittenAuthorization(request: ReceivedRequest, resources: Resources): ReceivedRequest {
  // A form is the same request (OpenID Connect Core, 3.1.2.1).
  const query = new URLSearchParams(request.method === 'POST' ? request.body : request.query);
  for (const name of ignored) query.delete(name);
  rewriteResources(query, resources);
  // Two of a parameter are refused by the engine.
  if (query.getAll('scope').length <= 1)
    query.set('scope', [engineScope, ...resources.known(query.get('scope'))].join(' '));
  if (query.getAll('prompt').length === 1 && query.get('prompt') !== 'none') query.delete('prompt');
  // The engine would answer with a page that submits itself.
  if (query.has('response_mode') && query.get('response_mode') !== 'query') query.set('response_mode', 'unsupported');
  return request.method === 'POST' ? { ...request, method: 'GET', query, body: '' } : { ...request, query };
}

/** A token request. */
export function rewrittenTokenRequest(request: ReceivedRequest, resources: Resources): ReceivedRequest {
  const form = new URLSearchParams(request.body);
  rewriteResources(form, resources);
  if (form.getAll('scope').length === 1)
    form.set('scope', [engineScope, ...resources.known(form.get('scope'))].join(' '));
  return { ...request, body: form.toString() };
}

function rewriteResources(parameters: URLSearchParams, resources: Resources): void {
  const requested = parameters.getAll('resource').filter((resource) => resource !== '');
  parameters.delete('resource');
  for (const resource of new Set(requested.map((one) => resources.match(one) ?? one)))
    parameters.append('resource', resource);
}
