/** MCP Apps on a server: a page as a resource, which hosts show beside the results of a tool. */
import { TenonError } from '../lib/errors/tenon-error.ts';
import { appMimeType, declaresApps } from '../protocol/apps.ts';
import { refused } from '../server/checks/definition-error.ts';
import type { BaseContext, Context } from '../server/definition/context.ts';
import type { ResourceDefinition, ResourceOptions } from '../server/definition/resource.ts';
import { resource } from '../server/features/resource.ts';

/** The origins that an app needs, such as `https://api.example.com`. A host blocks all others. */
export interface AppCsp {
  /** For requests: `fetch`, `XMLHttpRequest`, `WebSocket`. */
  readonly connectDomains?: readonly string[];
  /** For scripts, styles, images, fonts and media. */
  readonly resourceDomains?: readonly string[];
  /** For inner frames. */
  readonly frameDomains?: readonly string[];
  /** For the `base` element. */
  readonly baseUriDomains?: readonly string[];
}

/** The options of an app. */
export interface AppOptions extends Omit<ResourceOptions, 'mimeType' | 'size'> {
  /** The origins that the app needs; none by default. */
  readonly csp?: AppCsp;
  /** What the app would like to use. A host may grant it. */
  readonly permissions?: Partial<Record<'camera' | 'microphone' | 'geolocation' | 'clipboardWrite', object>>;
  /** An origin of its own for the app; the documentation of a host says in which form. */
  readonly domain?: string;
  /** Whether the app is drawn with a border. The host decides by default. */
  readonly prefersBorder?: boolean;
}

const nextPart = /\s*(<!--|<!doctype html[\s>])/iy;

/** Whether it is a document, not a part of one: comments may come before its type. */
function isDocument(html: string): boolean {
  let at = html.startsWith('\uFEFF') ? 1 : 0;
  for (;;) {
    nextPart.lastIndex = at;
    const [, part] = nextPart.exec(html) ?? [];
    if (part !== '<!--') return part !== undefined;
    const end = html.indexOf('-->', nextPart.lastIndex);
    if (end === -1) return false;
    at = end + '-->'.length;
  }
}

/**
 * Defines an app: an HTML document in `resources`, at a URI that begins with `ui://`. A tool names it in
 * `_meta.ui.resourceUri`.
 *
 * ```ts
 * tools: { forecast: tool({ _meta: { ui: { resourceUri: 'ui://forecast' } } }, () => 'Sunny') },
 * resources: { 'ui://forecast': app({ title: 'Forecast' }, '<!doctype html><title>Forecast</title>…') }
 * ```
 */
export function app(
  options: AppOptions,
  html: string | ((context: Context) => string | Promise<string>),
): ResourceDefinition {
  const { csp, permissions, domain, prefersBorder, _meta, ...described } = options;
  const declared = Object.entries({ csp, permissions, domain, prefersBorder }).filter(([, one]) => one !== undefined);
  const all = { ..._meta, ...(declared.length > 0 && { ui: Object.fromEntries(declared) }) };
  const meta = Object.keys(all).length > 0 && { _meta: all };
  const read = async (context: Context) => {
    const text = typeof html === 'string' ? html : await html(context);
    if (typeof text === 'string' && isDocument(text)) return [{ text, ...meta }];
    throw new TenonError('invalid-outgoing-message', 'The app is not an HTML document.', { hint: documentHint });
  };
  const defined = resource({ ...described, mimeType: appMimeType, ...meta }, read);
  return {
    ...defined,
    compile(uri, source) {
      const place = `resources[${JSON.stringify(uri)}]`;
      if (!uri.startsWith('ui://')) throw refused(`${place}: the URI of an app begins with ui://.`, 'Use ui://NAME.');
      if (typeof html === 'string' && !isDocument(html))
        throw refused(`${place}: the app is not an HTML document.`, documentHint);
      return defined.compile(uri, source);
    },
  };
}

const documentHint = 'Begin it with <!doctype html>.';

/** Whether the client shows apps. A tool can return more text where it does not. */
export const supportsApps = ({ caller }: Pick<BaseContext, 'caller'>): boolean => declaresApps(caller.capabilities);
