/** The keys of an authorization server: fetched when needed, again for an unknown key, and used on while it is down. */
import { createLocalJWKSet, errors, type JSONWebKeySet, type JWTVerifyGetKey } from 'jose';
import { TenonError } from '../../lib/errors/tenon-error.ts';
import { isRecord } from '../../lib/values/is.ts';
import { fetchJson } from './fetch-json.ts';
import { findInMetadata } from './issuer-metadata.ts';
import type { Issuer } from './settings.ts';

/**
 * Time between two fetches of the keys of an issuer, whatever tokens arrive.
 * @limit auth
 * @beyond tokens of an unknown key get 401, or 503 if the last fetch failed
 */
const minIntervalMs = 10_000;

/** Then they are fetched again: the issuer may have withdrawn one. */
const freshMs = 10 * 60_000;

/**
 * How long keys are used while the issuer is down.
 * @limit auth
 * @beyond 503
 * @code server-unavailable
 */
const outageMs = 60 * 60_000;

/**
 * Keys of an issuer.
 * @limit auth
 * @beyond they count as not fetched, `onWarning`
 * @code server-unavailable
 */
const maxKeys = 100;

interface Keys {
  readonly find: JWTVerifyGetKey;
  readonly texts: ReadonlySet<string>;
  readonly fetchedAt: number;
}

export interface KeySetPorts {
  warn(error: TenonError): void;
  /** A key is no longer published: what it has signed is not valid any more. */
  keyRemoved(): void;
}

export class KeySet {
  readonly #issuer: Issuer;
  readonly #ports: KeySetPorts;
  #jwksUri: string | undefined;
  #keys: Keys | undefined;
  #triedAt = Number.NEGATIVE_INFINITY;
  #fetching: Promise<void> | undefined;
  /** Whether the last attempt to fetch them has failed. */
  #isDown = false;

  constructor(issuer: Issuer, ports: KeySetPorts) {
    this.#issuer = issuer;
    this.#ports = ports;
    this.#jwksUri = issuer.jwksUri;
  }

  /** The key of a token. Rejects with an error of jose if there is none, and with `server-unavailable` without any keys. */
  readonly find: JWTVerifyGetKey = async (header, token) => {
    await this.#refreshStale();
    const keys = this.#usable();
    if (keys === undefined) throw this.#unavailable();
    try {
      return await keys.find(header, token);
    } catch (error) {
      if (!(error instanceof errors.JWKSNoMatchingKey)) throw error;
      await this.#refresh();
      const newer = this.#usable();
      if (newer !== undefined && newer !== keys) return newer.find(header, token);
      // While the issuer is down, it may have a new key.
      throw this.#isDown ? this.#unavailable() : error;
    }
  };

  /** While the issuer is down, requests do not wait for it: they use the last keys. */
  async #refreshStale(): Promise<void> {
    const keys = this.#usable();
    if (keys !== undefined && Date.now() - keys.fetchedAt <= freshMs) return;
    const mayWait = keys === undefined || !this.#isDown;
    const fetching = this.#refresh();
    if (mayWait) await fetching;
  }

  #usable(): Keys | undefined {
    const keys = this.#keys;
    return keys !== undefined && Date.now() - keys.fetchedAt <= freshMs + outageMs ? keys : undefined;
  }

  /** All requests share one fetch, and one that was just tried is not repeated. Never rejects. */
  #refresh(): Promise<void> {
    if (this.#fetching !== undefined) return this.#fetching;
    const now = Date.now();
    if (now - this.#triedAt < minIntervalMs) return Promise.resolve();
    this.#triedAt = now;
    this.#fetching = this.#fetch().finally(() => {
      this.#fetching = undefined;
    });
    return this.#fetching;
  }

  async #fetch(): Promise<void> {
    try {
      const { keys } = await this.#read();
      if (!Array.isArray(keys) || keys.length > maxKeys)
        throw new Error(`${this.#jwksUri} has no list of at most ${maxKeys} keys`);
      // RFC 7517, 5: one that is not understood is ignored.
      this.#replace({ keys: keys.filter(isRecord) } as JSONWebKeySet);
      this.#isDown = false;
    } catch (cause) {
      this.#isDown = true;
      // It may have moved.
      this.#jwksUri = this.#issuer.jwksUri;
      this.#ports.warn(this.#unavailable(cause));
    }
  }

  /** An authorization server in the same process is not requested: it may not reach its own public URL. */
  async #read(): Promise<{ readonly keys?: unknown }> {
    const { issuer, own } = this.#issuer;
    if (own !== undefined) return own.keys();
    this.#jwksUri ??= await findInMetadata(issuer, 'jwks_uri');
    return fetchJson(this.#jwksUri);
  }

  #replace(set: JSONWebKeySet): void {
    const texts = new Set(set.keys.map((key) => JSON.stringify(key)));
    const before = this.#keys;
    this.#keys = { find: createLocalJWKSet(set), texts, fetchedAt: Date.now() };
    if (before !== undefined && [...before.texts].some((text) => !texts.has(text))) this.#ports.keyRemoved();
  }

  #unavailable(cause?: unknown): TenonError {
    const { issuer } = this.#issuer;
    const reason = cause instanceof Error ? `: ${cause.message}` : '';
    return new TenonError('server-unavailable', `The keys of ${issuer} could not be fetched${reason}.`, {
      hint: 'Check that the issuer is exact and can be reached, or set jwksUri.',
      details: { issuer },
      ...(cause !== undefined && { cause }),
    });
  }
}
