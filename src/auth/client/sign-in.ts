/** How a person signs in: where the authorization server redirects to, and who opens its page. */

/** Lets a person sign in. `terminalSignIn()` of `tenon` is one; a web application brings its own route. */
export interface SignIn {
  /**
   * Prepares a redirect address, before the authorization request is built with it. `registered` are the addresses that
   * the client is registered with already: for another one it is registered again.
   */
  prepare(signal: AbortSignal, registered?: readonly string[]): Promise<PreparedSignIn>;
}

/** One sign-in that is under way. */
export interface PreparedSignIn {
  /** Where the authorization server redirects to: an https URL, or an http URL of this machine. */
  readonly redirectUri: string;
  /** Shows the page of the authorization server. Resolves to the address that the browser was redirected to, with its parameters. */
  authorize(url: URL, signal: AbortSignal): Promise<URL>;
  /** Frees what `prepare` has opened. */
  close(): Promise<void>;
}
