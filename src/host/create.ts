/** A host without Node: servers at URLs, and servers in this process. */
import { createClient, type Target } from '../client/connect.ts';
import type { Host } from './api.ts';
import { buildHost } from './host.ts';
import type { HostOptions } from './options.ts';

/** Creates a host of many servers. Each is connected when it is first used. */
export const createHost = (options: HostOptions): Host =>
  buildHost(options, (target, connect) => createClient(target as Target, connect));
