/** The options of grants, and the rules of those that are no texts. */
import type { Rule } from '../../../lib/options/option-rules.ts';
import { isRecord } from '../../../lib/values/is.ts';
import { isSecureUrl } from '../../secure-url.ts';
import type { OAuthClient } from '../registration/client.ts';
import type { GetAssertion } from './assertion.ts';

/** What the person needs to sign in on another device. */
export interface DeviceCode {
  /** The page to open, `https:` or on this machine. */
  readonly url: string;
  /** The same page with the code in it, for a link or a QR code. */
  readonly urlWithCode?: string;
  /** The code to enter on the page. */
  readonly code: string;
  /** When the code expires, in milliseconds since the Unix epoch. */
  readonly expiresAt: number;
}

/**
 * The options of `deviceCode()`.
 * @area credentials
 * @of `deviceCode`
 */
export interface DeviceCodeOptions {
  /**
   * Shows page and code to the person.
   * @default computed they are printed to standard error
   */
  readonly onCode?: (code: DeviceCode) => void;
}

/**
 * The options of `workloadIdentity()`.
 * @area credentials
 * @of `workloadIdentity`
 */
export interface WorkloadIdentityOptions {
  /**
   * The JWT of the workload, or a function that returns one for `audience`, which is the token endpoint.
   * @rule assertionRule
   */
  readonly assertion: string | GetAssertion;
}

/**
 * The options of `enterpriseManaged()`.
 * @area credentials
 * @of `enterpriseManaged`
 */
export interface EnterpriseManagedOptions {
  /**
   * The issuer of the identity provider, where people of the company sign in.
   * @rule identityProvider
   */
  readonly idpIssuer: string;
  /**
   * The client that is registered at the identity provider. The `client` of `oauth` is the one at the server's own.
   * @rule clientWithId
   */
  readonly idpClient: OAuthClient;
  /**
   * The ID token that the person got when they signed in at the identity provider, or a function that returns it.
   * @rule idTokenRule
   */
  readonly idToken: string | GetAssertion;
}

export const assertionRule: Rule = {
  holds: (value) => typeof value === 'function' || (typeof value === 'string' && value !== ''),
  must: 'be a JWT, or a function that returns one',
};

export const idTokenRule: Rule = { ...assertionRule, must: 'be an ID token, or a function that returns one' };

export const identityProvider: Rule = { holds: isSecureUrl, must: 'be the https URL of the identity provider' };

export const clientWithId: Rule = {
  holds: (value) => isRecord(value) && typeof value.clientId === 'string' && value.clientId !== '',
  must: 'be a client with clientId',
};
