/** Which tools have an app: a `ui://` resource that shows their results. */

/** The URI of the app that an item declares, in `_meta.ui.resourceUri` or the older `_meta["ui/resourceUri"]`. */
export function appUriOf(item: { readonly _meta?: Readonly<Record<string, unknown>> }): string | undefined {
  const { ui, 'ui/resourceUri': flat } = item._meta ?? {};
  const nested =
    typeof ui === 'object' && ui !== null ? (ui as { readonly resourceUri?: unknown }).resourceUri : undefined;
  const uri = nested ?? flat;
  return typeof uri === 'string' && uri.startsWith('ui://') ? uri : undefined;
}
