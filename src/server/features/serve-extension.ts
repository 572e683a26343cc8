/** The function by which a server takes up an extension, with the code that serves one. */
import type { Extension, Methods, Notifications } from '../../protocol/extensions/extension.ts';
import type { ExtensionParts, ServedExtension } from '../definition/extension.ts';
import { compileExtension } from './compile-extension.ts';
import { tellable } from './extension.ts';

/** Has a server serve an extension: pass what this gives in `extensions: […]`. */
export const serveExtension = <const M extends Methods, const N extends Notifications>(
  extension: Extension<M, N>,
  parts: ExtensionParts<M, N>,
): ServedExtension => ({
  kind: 'served-extension',
  extension,
  // The contract ties each handler to the schemas that its params are read by.
  parts: parts as unknown as ServedExtension['parts'],
  compile: compileExtension,
  tellable,
});
