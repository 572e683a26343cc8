/** The options of `terminalSignIn`. */
import type { Rule } from '../../lib/options/option-rules.ts';

/**
 * The options of `terminalSignIn()`.
 * @area credentials
 * @of `terminalSignIn`
 */
export interface TerminalSignInOptions {
  /**
   * The port of the redirect address, for clients that are registered with one. 0: that of the last registration if it is free, otherwise any.
   * @default 0
   * @rule port
   */
  readonly port?: number;
  /**
   * The path of the redirect address.
   * @default '/callback'
   * @rule callbackPath
   */
  readonly path?: string;
  /**
   * How long the user may take; also the wait for a fixed port of another sign-in.
   * @default 5 min
   * @beyond the sign-in fails
   * @code timeout, listen-failed
   */
  readonly timeoutMs?: number;
  /**
   * Whether the browser is opened, where there is a screen.
   * @default true
   */
  readonly openBrowser?: boolean;
  /**
   * Called with the page to open.
   * @default computed it is printed to standard error
   */
  readonly onUrl?: (url: URL) => void;
}

export const callbackPath: Rule = {
  holds: (value) => typeof value === 'string' && /^\/[\w.~/-]*$/.test(value),
  must: 'be a path such as /callback',
};
