/** The suite that proves a driver of a store. */

export { testStoreDriver } from './suite.ts';
export type { DriverUnderTest } from './tested-store.ts';
