/** What happens at an authorization server, for logs, metrics and tests. */
import { randomBytes } from 'node:crypto';
import { runSafely } from '../lib/values/run-safely.ts';

/** What happened. */
export type AuthorizationServerEventType =
  /** A client has registered itself. */
  | 'client-registered'
  /** A client has sent a user here. */
  | 'authorization-requested'
  /** The user has allowed the client, and is sent to the provider. */
  | 'consented'
  /** The user, the provider or `allow` has denied the client. */
  | 'denied'
  /** The user has signed in at the provider, and the client gets a code. */
  | 'signed-in'
  /** A client has exchanged a code or a refresh token for an access token. */
  | 'token-issued'
  /** A client has repeated a refresh, and got the same tokens again. */
  | 'refresh-repeated'
  /** A request of a client was refused. */
  | 'refused'
  /** An address has sent too many requests. */
  | 'limited'
  /** Access of a user was revoked: by `revoke`, by the user, by the provider, or because a code or a refresh token was used twice. */
  | 'revoked'
  /** The provider, the store or the server itself has failed. */
  | 'failed';

/** Something that happened at an authorization server. It contains no token, no code and no secret. */
export interface AuthorizationServerEvent {
  /** What happened. */
  readonly type: AuthorizationServerEventType;
  /** The user, such as `github:583231`, where it is known. */
  readonly subject?: string;
  /** The client, where it is known. */
  readonly client?: string;
  /** Why: the error that the client or the user got. */
  readonly reason?: string;
  /** The ID on the page that the user saw. */
  readonly id?: string | undefined;
  /** The error behind it. */
  readonly cause?: unknown;
  /** Settings at the provider that are probably wrong. */
  readonly warnings?: readonly string[];
}

/** Reports an event. */
export type Report = (event: AuthorizationServerEvent) => void;

/** A callback that fails does not fail a request. */
export const createReport =
  (onEvent: Report = () => {}): Report =>
  (event) =>
    runSafely(() => onEvent(event));

/** An ID that a page shows, to find its event. */
export const createEventId = (): string => randomBytes(6).toString('hex');
