/** The part of oidc-provider that this folder and `src/auth-server` use: the package has no types of its own. */
declare module 'oidc-provider' {
  import type { EventEmitter } from 'node:events';
  import type { IncomingMessage, ServerResponse } from 'node:http';

  /** A request inside the provider. */
  export interface Context {
    readonly method: string;
    readonly path: string;
    status: number;
    type: string;
    body: unknown;
    readonly response: { readonly headers: Record<string, string | undefined> };
    get(header: string): string;
    set(header: string, value: string): void;
    remove(header: string): void;
    readonly oidc: {
      readonly route: string;
      readonly body?: unknown;
      readonly params: Record<string, string | undefined>;
      readonly provider: Provider;
      readonly client: Client;
      readonly entities: Record<
        string,
        { readonly scope?: string; readonly accountId?: string; readonly iat?: number } | undefined
      >;
    };
  }

  export interface Client {
    readonly clientId: string;
    readonly clientName?: string;
    readonly clientAuthMethod: string;
    readonly redirectUris: readonly string[];
    grantTypeAllowed(type: string): boolean;
    redirectUriAllowed(uri: string): boolean;
  }

  export interface Interaction {
    readonly uid: string;
    readonly prompt: { readonly name: string; readonly details: PromptDetails };
    readonly params: Record<string, string | undefined>;
    readonly session?: { readonly accountId: string };
    readonly grantId?: string;
  }

  export interface PromptDetails {
    readonly missingOIDCScope?: readonly string[];
    readonly missingOIDCClaims?: readonly string[];
    readonly missingResourceScopes?: Readonly<Record<string, readonly string[]>>;
  }

  export interface Grant {
    addOIDCScope(scope: string): void;
    addOIDCClaims(claims: readonly string[]): void;
    addResourceScope(resource: string, scope: string): void;
    rejectResourceScope(resource: string, scope: string): void;
    save(): Promise<string>;
  }

  export interface AccessToken {
    readonly accountId?: string;
    resourceServer: unknown;
    scope: string | undefined;
    readonly expiration: number;
    readonly tokenType: string;
    setThumbprint(kind: 'jkt', value: string): void;
    save(): Promise<string>;
  }

  type Next = () => Promise<void>;

  export class Provider extends EventEmitter {
    constructor(issuer: string, configuration: Readonly<Record<string, unknown>>);
    readonly issuer: string;
    /** The request that is being served. */
    static readonly ctx: Context | undefined;
    /** Whether headers of a proxy are used for URLs. */
    proxy: boolean;
    readonly Client: { find(id: string): Promise<Client | undefined> };
    readonly Grant: {
      new (owner: { readonly accountId: string; readonly clientId: string }): Grant;
      find(id: string): Promise<Grant | undefined>;
    };
    readonly AccessToken: {
      new (facts: Readonly<Record<string, unknown>>): AccessToken;
      find(token: string): Promise<AccessToken | undefined>;
    };
    readonly ResourceServer: new (
      resource: string,
      info: unknown,
    ) => unknown;
    readonly ReplayDetection: { unique(issuer: string, id: string, expires: number): Promise<boolean> };
    use(middleware: (context: Context, next: Next) => Promise<void>): this;
    callback(): (request: IncomingMessage, response: ServerResponse) => Promise<void>;
    interactionDetails(request: IncomingMessage, response: ServerResponse): Promise<Interaction>;
    interactionFinished(
      request: IncomingMessage,
      response: ServerResponse,
      result: unknown,
      options?: { readonly mergeWithLastSubmission?: boolean },
    ): Promise<void>;
    registerGrantType(
      name: string,
      handler: (context: Context) => Promise<void>,
      parameters: readonly string[],
      repeatable?: readonly string[],
    ): void;
  }

  export const errors: Readonly<
    Record<
      | 'InvalidClient'
      | 'InvalidClientMetadata'
      | 'InvalidGrant'
      | 'InvalidRequest'
      | 'InvalidScope'
      | 'InvalidTarget'
      | 'TemporarilyUnavailable',
      new (
        description?: string,
      ) => Error
    >
  >;
}
