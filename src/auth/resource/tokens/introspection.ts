/** Opaque tokens: the authorization server is asked about each of them (RFC 7662). */
import { TenonError } from '../../../lib/errors/tenon-error.ts';
import { SlotShares } from '../../../server/ports/slot-shares.ts';
import { fetchJson } from '../fetch-json.ts';
import { findInMetadata } from '../issuer-metadata.ts';
import type { IntrospectionOptions, IssuerOptions } from '../options.ts';
import {
  type CheckToken,
  otherKind,
  type Refusal,
  refused,
  skewSeconds,
  type TokenRules,
  tokenOf,
  type VerifiedToken,
} from './access-token.ts';

/**
 * Opaque tokens that an issuer is asked about at once: unknown tokens cost an attacker nothing, and the authorization server a request each. An address gets no more than it leaves to others: alone, half of them.
 * @limit auth
 * @beyond 503
 * @code server-unavailable
 */
const maxAtOnce = 100;

type Outcome = VerifiedToken | Refusal;

/** Verifies the opaque tokens of an issuer. Rejects with `server-unavailable` if it does not answer, or not as it should. */
export function createIntrospection(
  { issuer }: IssuerOptions,
  options: IntrospectionOptions,
  rules: TokenRules,
): CheckToken {
  const audiences = [rules.resource, ...(rules.audiences ?? [])];
  const running = new Map<string, Promise<Outcome>>();
  const slots = new SlotShares(maxAtOnce, false);
  let endpoint = options.endpoint;

  async function ask(token: string): Promise<Record<string, unknown>> {
    try {
      endpoint ??= await findInMetadata(issuer, 'introspection_endpoint');
      return await fetchJson(endpoint, requestFor(token, options));
    } catch (cause) {
      // It may have moved.
      endpoint = options.endpoint;
      throw unavailable(issuer, cause instanceof Error ? `: ${cause.message}` : '');
    }
  }

  async function check(token: string): Promise<Outcome> {
    const answer = await ask(token);
    if (typeof answer.active !== 'boolean') throw unavailable(issuer, ': the answer has no boolean "active"');
    return answer.active ? readAnswer(answer, issuer, audiences, rules) : refused('The token is not valid');
  }

  /** Requests with the same token share one question. */
  return (token, share) => {
    const known = running.get(token);
    if (known !== undefined) return known;
    if (!slots.take(share)) return Promise.reject(unavailable(issuer, ': too many tokens are being asked about'));
    const outcome = check(token).finally(() => {
      running.delete(token);
      slots.release(share);
    });
    running.set(token, outcome);
    return outcome;
  };
}

function requestFor(token: string, { clientId, clientSecret, method }: IntrospectionOptions): RequestInit {
  const body = new URLSearchParams({ token, token_type_hint: 'access_token' });
  if (method === 'client_secret_post') {
    body.set('client_id', clientId);
    body.set('client_secret', clientSecret);
    return { method: 'POST', body };
  }
  // RFC 6749, 2.3.1: both are encoded as in a form before they are joined.
  const [id, secret] = [clientId, clientSecret].map((text) => new URLSearchParams({ '': text }).toString().slice(1));
  return { method: 'POST', body, headers: { authorization: `Basic ${btoa(`${id}:${secret}`)}` } };
}

/** An active token of another issuer, for another resource or of another kind is not for this server. */
function readAnswer(
  answer: Record<string, unknown>,
  issuer: string,
  audiences: readonly string[],
  rules: TokenRules,
): Outcome {
  const { iss = issuer, aud, exp, nbf, token_type: type = 'Bearer' } = answer;
  const now = Date.now() / 1000;
  if (iss !== issuer) return refused('The token is of an issuer that is not accepted');
  if (![aud].flat().some((one) => audiences.includes(one as string)))
    return refused('The token is for another resource');
  // Some authorization servers answer about refresh tokens as well.
  if (typeof type !== 'string' || !/^(?:bearer|dpop)$/i.test(type)) return otherKind;
  if (exp !== undefined && !(typeof exp === 'number' && exp + skewSeconds > now))
    return refused('The token has expired');
  if (nbf !== undefined && !(typeof nbf === 'number' && nbf - skewSeconds <= now))
    return refused('The token is not valid');
  // A client that acts for itself is the subject (as in RFC 9068, 2.2).
  return tokenOf({ ...answer, sub: answer.sub ?? answer.client_id }, issuer, rules);
}

/** The cause is not passed on: it may quote what was sent. The text of `fetchJson` names only the URL and the reason. */
const unavailable = (issuer: string, reason: string): TenonError =>
  new TenonError('server-unavailable', `${issuer} could not be asked about a token${reason}.`, {
    hint: 'Check introspection of the issuer: endpoint, clientId, clientSecret and method.',
    details: { issuer },
  });
