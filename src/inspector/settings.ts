/** The settings of an inspector: its options with their defaults, checked before anything starts. */
import { wrong } from '../lib/options/option-rules.ts';
import { type Filled, readOptions } from '../lib/options/read-options.ts';
import { inspectorOptions, serveInspectorOptions } from './options.table.ts';
import type { InspectorOptions, ServeInspectorOptions } from './options.ts';

export type InspectorSettings = Filled<InspectorOptions, typeof inspectorOptions>;

/** Throws `invalid-argument`. */
export const readInspectorOptions = (options: InspectorOptions): InspectorSettings =>
  checked('createInspector()', readOptions('createInspector()', inspectorOptions, options));

/** Throws `invalid-argument`. */
export const readServeInspectorOptions = (
  options: ServeInspectorOptions,
): Filled<ServeInspectorOptions, typeof serveInspectorOptions> =>
  checked('serveInspector()', readOptions('serveInspector()', serveInspectorOptions, options));

function checked<S extends InspectorSettings>(of: string, settings: S): S {
  const { servers = {}, start } = settings;
  if (start.server !== undefined && !Object.hasOwn(servers, start.server))
    throw wrong(of, 'start.server', 'be the name of a server of "servers"');
  return settings;
}
