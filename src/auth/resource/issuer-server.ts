/** An authorization server in the same process: `protect` knows its keys and revocations without requests. */
import type { JSONWebKeySet } from 'jose';
import type { TenonError } from '../../lib/errors/tenon-error.ts';
import type { MaybePromise } from '../../lib/values/maybe-promise.ts';
import type { Routes } from '../../server/ports/routes.ts';
import type { Store } from '../../store/store.ts';

/** A server whose tokens an authorization server issues. */
export interface ProtectedResource {
  /** Its URL, which tokens name in `aud`. */
  readonly resource: string;
  /** Its scopes. */
  readonly scopes: readonly string[];
  /** Called when the authorization server fails, and its clients get no reason. */
  warn(error: TenonError): void;
}

/** A token that the authorization server has issued: its signature is valid. */
export interface IssuedToken {
  /** The user. */
  readonly subject: string;
  /** The client that acts for the user. */
  readonly client: string | undefined;
  /** Its `iat`, in seconds. */
  readonly issuedAt: number;
  /** Its `auth_time`, in seconds: when the user allowed the client. Absent: it names none. */
  readonly grantedAt?: number | undefined;
}

/** What `protect` asks an authorization server in the same process. */
export interface OwnIssuer {
  /** Its issuer identifier. */
  readonly issuer: string;
  /** Its paths, which are served beside the endpoint. */
  readonly routes: Routes;
  /** The keys that sign its tokens. */
  keys(): Promise<JSONWebKeySet>;
  /** Whether a token was revoked: called for each request. Rejects if that is not known. */
  isRevoked(token: IssuedToken): MaybePromise<boolean>;
  /** Gets the store of the endpoint. Returns a function that is called when it closes. */
  useStore(store: Store): () => void;
}

/** An authorization server in the same process: `authorizationServer()` of `tenon/auth-server`. */
export interface IssuerServer {
  /** Adds a resource that it issues tokens for. `protect` calls it. */
  issuerFor(resource: ProtectedResource): OwnIssuer;
}

export const isIssuerServer = (value: unknown): value is IssuerServer =>
  typeof value === 'object' && value !== null && typeof (value as Partial<IssuerServer>).issuerFor === 'function';
