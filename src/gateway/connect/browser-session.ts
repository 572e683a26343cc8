/** Who uses a browser, and the sign-in that is under way there: in sealed cookies, so that every node can read them. */
import { createHash } from 'node:crypto';
import type { ServerResponse } from 'node:http';
import { cookieIn, cookieName, setCookie } from '../../auth-server/flow/cookies.ts';
import type { ProviderPending } from '../../auth-server/provider-client/provider-client.ts';
import { isSame, type Secrets } from '../../auth-server/secrets.ts';

/**
 * How long a browser is signed in at the connect page.
 * @limit gateway
 * @default 1 h
 * @beyond the user signs in again
 */
const sessionSeconds = 60 * 60;

/**
 * How long a user may take to sign in at the issuer or at an upstream.
 * @limit gateway
 * @default 10 min
 * @beyond the user starts again
 */
const flowSeconds = 10 * 60;

/** The user of a browser, as the issuer of the callers names them. */
export interface BrowserUser {
  readonly subject: string;
  readonly name: string;
}

/** What waits for the callback of the issuer. */
export interface IssuerFlow {
  readonly pending: ProviderPending;
  /** The path to go on at. */
  readonly next: string;
}

/** What waits for the callback of an upstream. */
export interface UpstreamFlow {
  readonly upstream: string;
  readonly subject: string;
  readonly state: string;
}

type Purpose = 'session' | 'issuer' | 'upstream';

interface Sealed<T> {
  readonly value: T;
  /** In milliseconds since 1970. */
  readonly until: number;
}

export class BrowserSessions {
  readonly #secrets: Secrets;
  readonly #isSecure: boolean;
  readonly #now: () => number;

  constructor(secrets: Secrets, isSecure: boolean, now: () => number = Date.now) {
    this.#secrets = secrets;
    this.#isSecure = isSecure;
    this.#now = now;
  }

  start(response: ServerResponse, user: BrowserUser): void {
    this.#set(response, 'session', 'user', user, sessionSeconds);
  }

  user(cookies: string | undefined): BrowserUser | undefined {
    return this.#read<BrowserUser>(cookies, 'session', 'user');
  }

  beginIssuer(response: ServerResponse, flow: IssuerFlow): void {
    this.#set(response, 'issuer', flowName(flow.pending.state), flow, flowSeconds);
  }

  /** The flow with this state, which this browser began; its cookie is deleted. */
  takeIssuer(response: ServerResponse, cookies: string | undefined, state: string): IssuerFlow | undefined {
    const flow = this.#read<IssuerFlow>(cookies, 'issuer', flowName(state));
    this.#clear(response, flowName(state));
    return flow !== undefined && isSame(flow.pending.state, state) ? flow : undefined;
  }

  beginUpstream(response: ServerResponse, flow: UpstreamFlow): void {
    this.#set(response, 'upstream', flowName(flow.state), flow, flowSeconds);
  }

  takeUpstream(response: ServerResponse, cookies: string | undefined, state: string): UpstreamFlow | undefined {
    const flow = this.#read<UpstreamFlow>(cookies, 'upstream', flowName(state));
    this.#clear(response, flowName(state));
    return flow !== undefined && isSame(flow.state, state) ? flow : undefined;
  }

  /** For the form of one user about one upstream and, where one has asked, one client. */
  csrf(user: BrowserUser, upstream: string, client: string | undefined): string {
    return this.#secrets.sign('connect-form', formOf(user, upstream, client));
  }

  isForm(user: BrowserUser, upstream: string, client: string | undefined, csrf: string): boolean {
    return this.#secrets.isSigned('connect-form', formOf(user, upstream, client), csrf);
  }

  #name(name: string): string {
    return cookieName(`tenon-gateway-${name}`, this.#isSecure);
  }

  #set(response: ServerResponse, purpose: Purpose, name: string, value: object, seconds: number): void {
    const sealed: Sealed<object> = { value, until: this.#now() + seconds * 1000 };
    const text = this.#secrets.seal(`connect-${purpose}`, JSON.stringify(sealed));
    setCookie(response, this.#name(name), text, { maxAgeSeconds: seconds, isSecure: this.#isSecure });
  }

  #read<T>(cookies: string | undefined, purpose: Purpose, name: string): T | undefined {
    const text = cookieIn(cookies, this.#name(name));
    const opened = text === undefined ? undefined : this.#secrets.open(`connect-${purpose}`, text);
    const sealed = opened === undefined ? undefined : (JSON.parse(opened) as Sealed<T>);
    return sealed !== undefined && sealed.until > this.#now() ? sealed.value : undefined;
  }

  #clear(response: ServerResponse, name: string): void {
    setCookie(response, this.#name(name), '', { maxAgeSeconds: 0, isSecure: this.#isSecure });
  }
}

const formOf = ({ subject }: BrowserUser, upstream: string, client: string | undefined): string =>
  JSON.stringify([subject, upstream, client ?? null]);

/** Two tabs have two cookies. */
const flowName = (state: string): string => createHash('sha256').update(state).digest('hex').slice(0, 16);
