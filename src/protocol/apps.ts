/** MCP Apps: the names of the extension, and what tools and resources declare for it in `_meta.ui`. */

import type { Fields } from '../lib/values/is.ts';
import { isRecord } from '../lib/values/is.ts';
import { defineExtension } from './extensions/extension.ts';

const id = 'io.modelcontextprotocol/ui';
/** The MIME type of an app. */
export const appMimeType = 'text/html;profile=mcp-app';

/**
 * The extension of MCP Apps. A client that shows apps declares their type:
 * `connect(target, { extensions: [useExtension(appsExtension, { settings: { mimeTypes: ['text/html;profile=mcp-app'] } })] })`.
 */
export const appsExtension = /* @__PURE__ */ defineExtension(id, {
  whenUndeclared: 'serve',
  availableInSessions: true,
});

/** `_meta.ui` of a tool, a resource or its contents. */
export const uiOf = (meta: unknown): Fields => (isRecord(meta) && isRecord(meta.ui) ? meta.ui : {});

/** Whether a tool is for the model, or for apps. Without `visibility` it is for both. */
export function isVisibleTo(who: 'model' | 'app', { _meta }: { readonly _meta?: unknown }): boolean {
  const { visibility } = uiOf(_meta);
  return !Array.isArray(visibility) || visibility.includes(who);
}

/** Whether the declared capabilities of a client include apps. */
export function declaresApps({ extensions }: { readonly extensions?: unknown }): boolean {
  const settings = isRecord(extensions) ? extensions[id] : undefined;
  return isRecord(settings) && Array.isArray(settings.mimeTypes) && settings.mimeTypes.includes(appMimeType);
}
