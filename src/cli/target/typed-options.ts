/** The options of `serve` and `dev` for the server: what was typed comes before what the file says. */
import type { ServeHttpOptions } from '../../node/http-server/options.ts';
import type { ServeStdioOptions } from '../../node/stdio-server/options.ts';
import { serverDialects } from '../../protocol/dialects/compat-options.ts';
import type { Given } from '../io/given.ts';
import { readCompat } from './read-compat.ts';

export function typedOptions(given: Given): Pick<ServeStdioOptions & ServeHttpOptions, 'store' | 'strict' | 'compat'> {
  const store = given.text('store');
  const compat = readCompat(given.texts('compat'), serverDialects);
  return {
    ...(store !== undefined && { store }),
    ...(given.flag('strict') && { strict: true }),
    ...(compat && { compat }),
  };
}
