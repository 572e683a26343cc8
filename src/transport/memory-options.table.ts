/** Tables of options, generated from the interfaces beside it: do not edit, run `npm run generate`. */
import { count, type Table } from '../lib/options/option-table.ts';
import type { MemoryTransportOptions } from './memory-options.ts';

export const memoryTransportOptions = {
  maxMessages: count(65_536),
  maxChars: count(67_108_864),
} as const satisfies Table<MemoryTransportOptions>;
