/** MCP Apps: a `ui://` resource in a frame of another origin. */

/**
 * An app that was opened. The page makes `<iframe src=frame sandbox="allow-scripts allow-same-origin">`. The frame is a
 * proxy on an origin of its own: it posts `ui/notifications/sandbox-proxy-ready`, the page posts
 * `ui/notifications/sandbox-resource-ready` with `{ html }`, and the proxy shows it in an inner frame with
 * `sandbox="allow-scripts"`. Then it forwards all messages between page and app except `ui/notifications/sandbox-*`.
 * Accept only messages whose `source` is the frame and whose `origin` is `origin`; post only to `origin`.
 */
export interface OpenedApp {
  /** Such as `a1`: pass it as `app` of a `RunRequest`. */
  readonly app: string;
  readonly client: string;
  readonly uri: string;
  /** The URL of the proxy frame. Its response has the content policy that the app declares. */
  readonly frame: string;
  /** The origin of the frame. */
  readonly origin: string;
  readonly html: string;
  /** What the app declares (`_meta.ui`): show it. `csp` is in force already; permissions are not granted. */
  readonly csp?: AppPolicy;
  /** Declared origins on this machine or in a private network: blocked until the user allows them by name. */
  readonly privateOrigins: readonly string[];
  readonly permissions?: Readonly<Record<string, unknown>>;
  readonly prefersBorder?: boolean;
  /** The content policy of the frame, in words. */
  readonly policy: string;
}

/** The origins that an app declares. Others are blocked. */
export interface AppPolicy {
  readonly connectDomains?: readonly string[];
  readonly resourceDomains?: readonly string[];
  readonly frameDomains?: readonly string[];
  readonly baseUriDomains?: readonly string[];
}
