/** Extensions of the protocol: define one as a contract, serve it, use it from a client. */

export { useExtension } from '../client/api/extensions.ts';
export { appsExtension } from '../protocol/apps.ts';
export {
  defineExtension,
  defineMethod,
  defineNotification,
  defineVendorMethods,
  typedResult,
} from '../protocol/extensions/extension.ts';
export { serveExtension } from '../server/features/extension.ts';
export { type AppCsp, type AppOptions, app, supportsApps } from './apps.ts';
export { serverSampling } from './sampling.ts';
