/** The access tokens of callers, by their principals: for a gateway that exchanges them at their issuer, and for nothing else. */
import type { Principal } from '../../ports/principal.ts';

/** Not an option that users see: a handler could pass the token on. */
const key: unique symbol = Symbol('tenon.inbound-tokens');

/**
 * The principal of a request has no token, so that no handler, log, capture, span or store has it. A token is forgotten
 * with its principal.
 */
export class InboundTokens {
  readonly #tokens = new WeakMap<Principal, string>();

  add(principal: Principal, token: string): void {
    this.#tokens.set(principal, token);
  }

  /** The token that this principal was read from; nothing for an API key, and for a principal that a store has had. */
  of(principal: Principal): string | undefined {
    return this.#tokens.get(principal);
  }
}

/** To be spread into the options of `protect()`, which adds the tokens that it has verified. */
export const withInboundTokens = (tokens: InboundTokens): object => ({ [key]: tokens });

export const inboundTokensIn = (options: object): InboundTokens | undefined =>
  (options as { [key]?: InboundTokens })[key];
