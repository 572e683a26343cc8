/** Why something failed at the provider: a sentence for the browser, and facts for the operator. Neither has a token. */

/** What failed, for programs. Only after `revoked` and `not-allowed` a signed-in user loses access. */
export type ProviderErrorCode =
  /** No answer, or none now. Nothing is known about the user. */
  | 'unreachable'
  /** The user, or a policy of the provider, did not allow the sign-in. */
  | 'denied'
  /** The provider does not know the sign-in any more, or it belongs to another user now. */
  | 'revoked'
  /** A setting here or at the provider is wrong. */
  | 'misconfigured'
  /** The answer does not belong to this sign-in, or breaks the protocol. */
  | 'invalid-response'
  /** `user` of the provider does not allow this account. */
  | 'not-allowed';

/** Where it failed. */
export type ProviderStep = 'discovery' | 'callback' | 'token' | 'id-token' | 'refresh' | 'user' | 'revocation';

/** Facts about the failure, for `onEvent`. */
export interface ProviderFailure {
  readonly step: ProviderStep;
  readonly url?: string;
  readonly status?: number;
  /** `error` and `error_description` of the provider, cut to 300 characters. */
  readonly error?: string;
  readonly description?: string;
  readonly reason?: string;
}

/** A failure at the provider. Its message is the sentence for the browser. */
export class ProviderError extends Error {
  override readonly name = 'ProviderError';
  readonly code: ProviderErrorCode;
  override readonly cause: ProviderFailure;

  constructor(code: ProviderErrorCode, text: string, failure: ProviderFailure) {
    super(text);
    this.code = code;
    this.cause = failure;
  }
}

/** An error answer of an endpoint of the provider, before it is known what it means. */
export class Refusal extends Error {
  readonly status: number | undefined;
  readonly error: string;
  readonly description: string;

  constructor(status: number | undefined, error: string, description = '') {
    super(error);
    this.status = status;
    this.error = error;
    this.description = description;
  }
}

/** Whether the provider only cannot answer now. */
export const isTemporary = ({ status = 0, error }: Refusal): boolean =>
  status === 429 || status >= 500 || error === 'temporarily_unavailable' || error === 'server_error';
