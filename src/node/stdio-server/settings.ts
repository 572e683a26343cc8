/** The settings of `serveStdio`: its options with their defaults, read before standard output is guarded. */

import { valuesFor } from '../../jsonrpc/limits.ts';
import { fixed } from '../../lib/options/fixed-limits.ts';
import { has, wrong } from '../../lib/options/option-rules.ts';
import { type Filled, readOptions } from '../../lib/options/read-options.ts';
import { serverExpected } from '../../ports/official-server.ts';
import { checkStore } from '../../server/kernel/store-check.ts';
import type { ConnectionLimits } from '../../server/transport/accept-options.ts';
import { addressIn } from '../open-store.ts';
import { defaultMaxCharacters } from '../pipe/pipe-transport.ts';
import { serveStdioOptions } from './options.table.ts';
import type { ServeStdioOptions } from './options.ts';

export type StdioSettings = Filled<ServeStdioOptions, typeof serveStdioOptions>;

/** Throws `invalid-argument`. */
export function readStdioOptions(server: unknown, options: ServeStdioOptions): StdioSettings {
  if (!has(server, 'accept')) throw wrong('serveStdio()', 'server', serverExpected(server));
  const read = readOptions('serveStdio()', serveStdioOptions, options);
  const { store } = read;
  if (typeof store === 'string') addressIn(store);
  else checkStore('serveStdio()', store);
  return read;
}

/** The limits of the connection. Larger messages are usual on stdio, and have no more values for that. */
export function connectionLimits({ limits }: Pick<StdioSettings, 'limits'>): ConnectionLimits {
  const { maxMessageChars, maxConcurrentCalls, maxDepth, maxBatch } = limits;
  const { maxValues = valuesFor('server', maxMessageChars, defaultMaxCharacters) } = limits;
  const set = { [fixed]: { maxDepth, maxBatch, maxValues } };
  return { maxMessageChars, maxConcurrentCalls, ...set };
}
