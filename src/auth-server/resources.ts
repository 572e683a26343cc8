/** The resources that tokens are issued for, and the scopes of the server: from its options, or from `protect`. */
import type { ProtectedResource } from '../auth/resource/issuer-server.ts';
import { isSecureUrl } from '../auth/secure-url.ts';
import type { TenonError } from '../lib/errors/tenon-error.ts';
import { wrong } from '../lib/options/option-rules.ts';
import { parseUrl } from '../lib/text/parse-url.ts';
import { type AuthorizationServerSettings, of } from './settings.ts';

/** A scope of the engine alone: it grants nothing to a request without one. No client sees it. */
export const engineScope = 'tenon:sign-in';

export class Resources {
  readonly #settings: AuthorizationServerSettings;
  /** By their form for comparisons. */
  readonly #byForm = new Map<string, string>();
  readonly #scopes = new Set<string>();
  readonly #warn: ((error: TenonError) => void)[] = [];
  #issuer: string | undefined;

  constructor(settings: AuthorizationServerSettings) {
    this.#settings = settings;
    this.#issuer = settings.issuer;
    for (const resource of settings.resources ?? []) this.#add(resource);
    for (const scope of settings.scopes ?? []) this.#scopes.add(scope);
  }

  /** Adds what a `protect` serves. */
  add({ resource, scopes, warn }: ProtectedResource): void {
    if (this.#settings.resources !== undefined && this.match(resource) !== resource)
      throw wrong(of, 'resources', `contain ${resource}, the resource of protect(), in the same form`);
    this.#add(resource);
    if (this.#settings.scopes === undefined) for (const scope of scopes) this.#scopes.add(scope);
    this.#warn.push(warn);
  }

  #add(resource: string): void {
    this.#issuer ??= new URL(resource).origin;
    if (!isSecureUrl(this.#issuer))
      throw wrong(of, 'issuer', `be an https URL: ${resource} is neither on https nor on this machine`);
    this.#byForm.set(formOf(resource), resource);
  }

  /** The issuer: that of the options, else the origin of the first resource. */
  get issuer(): string {
    if (this.#issuer === undefined)
      throw wrong(of, 'issuer', 'be set, with resources, where no protect() has this server as its issuer');
    return this.#issuer;
  }

  get all(): readonly string[] {
    return [...this.#byForm.values()];
  }

  get scopes(): readonly string[] {
    return [...this.#scopes];
  }

  /** The resource that a client means: exactly it, or with an upper-case host or a final slash. */
  match(requested: string): string | undefined {
    return this.#byForm.get(formOf(requested));
  }

  /** Scopes of this server among those of a request; all of them where it names none. */
  known(requested: string | null | undefined): readonly string[] {
    const named = (requested ?? '').split(' ').filter((scope) => scope !== '');
    return named.length === 0 ? this.scopes : [...new Set(named)].filter((scope) => this.#scopes.has(scope));
  }

  warn(error: TenonError): void {
    for (const warn of this.#warn) warn(error);
  }
}

/** Hosts and schemes have no case; everything else has. */
function formOf(resource: string): string {
  const url = parseUrl(resource);
  if (url === undefined || resource.includes('#') || resource.includes('?')) return resource;
  return url.href.replace(/\/$/, '');
}
