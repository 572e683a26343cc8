/** The capabilities of a server in a session. */
import type { ServerCapabilities } from '../../protocol/generated/types/records.ts';
import type { Revision } from '../../protocol/revision.ts';
import type { Registry } from '../registry/registry.ts';

/** Tasks are a capability of their own in revisions that have them. */
export const sessionCapabilities = (
  { capabilities, hasTasks }: Registry,
  { tasks }: Revision,
  listsTasks: boolean,
): ServerCapabilities => (hasTasks ? (tasks?.declared?.(capabilities, listsTasks) ?? capabilities) : capabilities);
